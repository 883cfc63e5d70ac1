import { equalityKey } from "../../schema/json/equal.ts";
import { compareRecorded, type RecordedResponse, responseHash } from "./recorded_answer.ts";
import { featuresOf } from "./shape.ts";

/** The most responses (combinations of status and media type) of one operation that are recorded. */
const MOST_RESPONSES = 40;

/** A recorded answer, with the values by which answers are compared. */
export interface PooledAnswer {
  readonly answer: RecordedResponse;
  /** The parameters and details of the request as canonical text: equal requests have equal texts. */
  readonly request: string;
  readonly features: ReadonlySet<string>;
  readonly text: string;
}

/**
 * A bounded selection of an operation's answers. For each status and media type, it keeps the answers to the first
 * requests in the order of {@linkcode compareRequests}, and one answer of each shape (set of features). The selection
 * doesn't depend on the order in which answers are added.
 */
export class AnswerPool {
  readonly #most: number;
  readonly #responses = new Map<string, ResponsePool>();

  /**
   * @param most The most first requests, and the most shapes, of which answers are kept for each status and media type.
   */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Adds an answer.
   *
   * @returns Whether the pool has changed; `full` if the operation has too many statuses and media types.
   */
  add(answer: RecordedResponse): "changed" | "same" | "full" {
    const key = `${answer.status} ${answer.mediaType}`;
    let pool = this.#responses.get(key);
    if (pool === undefined) {
      if (this.#responses.size >= MOST_RESPONSES) return "full";
      this.#responses.set(key, pool = new ResponsePool(this.#most));
    }
    return pool.add(toPooled(answer)) ? "changed" : "same";
  }

  /** The answers of each status and media type, sorted by {@linkcode compareRequests}. */
  get responses(): PooledAnswer[][] {
    return [...this.#responses.values()].map((pool) => pool.answers);
  }

  replace(replaced: ReadonlyMap<RecordedResponse, RecordedResponse>): void {
    for (const pool of this.#responses.values()) pool.replace(replaced);
  }

  /** The number of characters of all bodies together. */
  get size(): number {
    return this.responses.flat().reduce((sum, { answer }) => sum + answer.size, 0);
  }
}

class ResponsePool {
  readonly #most: number;
  /** The answers to the first requests, sorted by {@linkcode compareRequests}. */
  #first: PooledAnswer[] = [];
  /**
   * For each shape (by its hash), the answer with this shape to the first request in the order of {@linkcode
   * compareRequests}.
   */
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

  replace(replaced: ReadonlyMap<RecordedResponse, RecordedResponse>): void {
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
    const shape = responseHash([...pooled.features].sort(compareRecorded).join("\n"));
    const known = this.#byShape.get(shape);
    if (known !== undefined) {
      const order = compareRequests(pooled, known);
      if (order > 0 || (order === 0 && !isBetter(pooled, known))) return false;
    }
    this.#byShape.set(shape, pooled);
    if (this.#byShape.size <= this.#most) return true;
    const last = [...this.#byShape.keys()].sort(compareRecorded).at(-1) ?? "";
    this.#byShape.delete(last);
    return last !== shape;
  }
}

function toPooled(answer: RecordedResponse): PooledAnswer {
  const request = equalityKey([answer.parameters, answer.details]);
  return { answer, request, features: featuresOf(answer.value), text: equalityKey(answer.value) };
}

/** Orders answers by their requests: fewer parameters first, then the shorter canonical text, then by text. */
export function compareRequests(a: PooledAnswer, b: PooledAnswer): number {
  const [few, many] = [Object.keys(a.answer.parameters).length, Object.keys(b.answer.parameters).length];
  return few - many || a.request.length - b.request.length || compareRecorded(a.request, b.request);
}

/**
 * Whether `a` replaces `b`, an answer to an equal request. The answer with more features is kept, then the answer of
 * the earlier recording, then the first by its text.
 */
function isBetter(a: PooledAnswer, b: PooledAnswer): boolean {
  if (a.features.size !== b.features.size) return a.features.size > b.features.size;
  // Prefer the earlier recording, so that a recording under version control changes only if an answer has more
  // features.
  if (a.answer.isKept !== b.answer.isKept) return a.answer.isKept;
  return compareRecorded(a.text, b.text) < 0;
}
