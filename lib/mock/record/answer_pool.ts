import { canonicalText, compareTexts, hashOf, type RecordedAnswer } from "./recorded_answer.ts";
import { featuresOf } from "./shape.ts";

/** How many responses of one operation are recorded; each has another status or media type. */
const MOST_RESPONSES = 40;

/** An answer, and the values by which answers are compared. */
export interface PooledAnswer {
  readonly answer: RecordedAnswer;
  /** The parameters and details of the answer's request as canonical text, so that equal requests have equal texts. */
  readonly request: string;
  readonly features: ReadonlySet<string>;
  readonly text: string;
}

/**
 * A bounded selection of an operation's answers. For each status and media type, it has the answers to the first
 * requests in the order of {@linkcode compareRequests}, and one answer of each shape (set of features). It doesn't
 * depend on the order in which the answers arrive.
 */
export class AnswerPool {
  readonly #most: number;
  readonly #responses = new Map<string, ResponsePool>();

  /** @param most How many answers to first requests, and how many shapes, are kept for each status and media type. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds an answer. @returns Whether the pool has changed; `full` where it takes no more responses. */
  add(answer: RecordedAnswer): "changed" | "same" | "full" {
    const key = `${answer.status} ${answer.mediaType}`;
    let pool = this.#responses.get(key);
    if (pool === undefined) {
      if (this.#responses.size >= MOST_RESPONSES) return "full";
      this.#responses.set(key, pool = new ResponsePool(this.#most));
    }
    return pool.add(toPooled(answer)) ? "changed" : "same";
  }

  /** The answers of each status and media type, each list in the order of its requests. */
  get responses(): PooledAnswer[][] {
    return [...this.#responses.values()].map((pool) => pool.answers);
  }

  /** Replaces answers by others for the same requests. */
  replace(replaced: ReadonlyMap<RecordedAnswer, RecordedAnswer>): void {
    for (const pool of this.#responses.values()) pool.replace(replaced);
  }

  /** The number of characters of all bodies. */
  get size(): number {
    return this.responses.flat().reduce((sum, { answer }) => sum + answer.size, 0);
  }
}

class ResponsePool {
  readonly #most: number;
  /** The answers to the first requests, in the order of their requests. */
  #first: PooledAnswer[] = [];
  /** For each shape, the answer to the first request that was answered with this shape. */
  readonly #byShape = new Map<string, PooledAnswer>();

  constructor(most: number) {
    this.#most = most;
  }

  get answers(): PooledAnswer[] {
    return [...new Set([...this.#first, ...this.#byShape.values()])].sort(compareRequests);
  }

  add(pooled: PooledAnswer): boolean {
    const isFirst = this.#addFirst(pooled);
    const isShape = this.#addShape(pooled);
    return isFirst || isShape;
  }

  replace(replaced: ReadonlyMap<RecordedAnswer, RecordedAnswer>): void {
    const update = (pooled: PooledAnswer): PooledAnswer => {
      const answer = replaced.get(pooled.answer);
      return answer === undefined ? pooled : toPooled(answer);
    };
    this.#first = this.#first.map(update);
    for (const [shape, pooled] of this.#byShape) this.#byShape.set(shape, update(pooled));
  }

  #addFirst(pooled: PooledAnswer): boolean {
    const at = this.#first.findIndex((other) => compareRequests(pooled, other) <= 0);
    const known = this.#first[at];
    if (known !== undefined && known.request === pooled.request) {
      if (!isBetter(pooled, known)) return false;
      this.#first[at] = pooled;
      return true;
    }
    if (at === -1 && this.#first.length >= this.#most) return false;
    this.#first.splice(at === -1 ? this.#first.length : at, 0, pooled);
    if (this.#first.length > this.#most) this.#first.pop();
    return true;
  }

  #addShape(pooled: PooledAnswer): boolean {
    const shape = hashOf([...pooled.features].sort(compareTexts).join("\n"));
    const known = this.#byShape.get(shape);
    if (known !== undefined) {
      const order = compareRequests(pooled, known);
      if (order > 0 || (order === 0 && !isBetter(pooled, known))) return false;
    }
    this.#byShape.set(shape, pooled);
    if (this.#byShape.size <= this.#most) return true;
    const last = [...this.#byShape.keys()].sort(compareTexts).at(-1) ?? "";
    this.#byShape.delete(last);
    return last !== shape;
  }
}

function toPooled(answer: RecordedAnswer): PooledAnswer {
  const request = canonicalText([answer.parameters, answer.details]);
  return { answer, request, features: featuresOf(answer.value), text: canonicalText(answer.value) };
}

/** Orders answers by their requests: those with fewer parameters first, then those with shorter texts. */
export function compareRequests(a: PooledAnswer, b: PooledAnswer): number {
  const [few, many] = [Object.keys(a.answer.parameters).length, Object.keys(b.answer.parameters).length];
  return few - many || a.request.length - b.request.length || compareTexts(a.request, b.request);
}

/**
 * Whether `a` replaces `b`, an answer to the same request: the one with more features wins, then the one of the earlier
 * recording, then the first by its text.
 */
function isBetter(a: PooledAnswer, b: PooledAnswer): boolean {
  if (a.features.size !== b.features.size) return a.features.size > b.features.size;
  // So a recording under version control changes only if an answer has more features.
  if (a.answer.isKept !== b.answer.isKept) return a.answer.isKept;
  return compareTexts(a.text, b.text) < 0;
}
