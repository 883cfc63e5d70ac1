import type { Answer } from "./answer.ts";

/** The size of caches. */
export interface CacheLimits {
  /** The most answers of one operation. */
  readonly answers: number;
  /** The most bytes that the answers of all operations hold. Answers to clients that accept anything don't count. */
  readonly bytes: number;
}

const LIMITS: CacheLimits = { answers: 200, bytes: 32 * 1024 * 1024 };

/** Bytes of an answer besides its key and body: headers and the object itself. */
const OVERHEAD = 1024;

/**
 * Keys of the answers to clients that accept anything. An operation has at most two such answers, so they don't count
 * against the limit of bytes.
 */
const PLAIN: ReadonlySet<string> = new Set(["", "*/*"]);

/**
 * Limits the bytes of the caches of all operations together: clients whose requests all differ must not fill the
 * memory. When the limit is exceeded, every cache is emptied.
 */
export class CacheBudget {
  readonly limits: CacheLimits;
  readonly #caches = new Map<AnswerCache, number>();
  #bytes = 0;

  constructor(limits: CacheLimits = LIMITS) {
    this.limits = limits;
  }

  /** Adds the size of a cached answer. */
  add(cache: AnswerCache, bytes: number): void {
    this.#caches.set(cache, (this.#caches.get(cache) ?? 0) + bytes);
    this.#bytes += bytes;
    if (this.#bytes > this.limits.bytes) { for (const full of this.#caches.keys()) full.clear(); }
  }

  /** Subtracts the sizes of all answers of a cache. */
  remove(cache: AnswerCache): void {
    this.#bytes -= this.#caches.get(cache) ?? 0;
    this.#caches.delete(cache);
  }
}

/** The answers of one operation, by the criteria of requests. A cache with too many answers is emptied. */
export class AnswerCache {
  readonly #answers = new Map<string, Answer | Promise<Answer>>();
  /** The answers that are cached, or being prepared. */
  readonly answers: ReadonlyMap<string, Answer | Promise<Answer>> = this.#answers;
  readonly #budget: CacheBudget;

  constructor(budget: CacheBudget) {
    this.#budget = budget;
  }

  /**
   * Caches an answer that is being prepared. If the preparation fails, the entry is removed, so that the next request
   * tries again.
   */
  set(key: string, preparing: Promise<Answer>): void {
    if (this.#answers.size >= this.#budget.limits.answers) this.clear();
    this.#answers.set(key, preparing);
    preparing.then(
      (answer) => this.#keep(key, preparing, answer),
      () => this.#answers.get(key) === preparing && this.#answers.delete(key),
    );
  }

  /** Drops all answers. */
  clear(): void {
    this.#answers.clear();
    this.#budget.remove(this);
  }

  #keep(key: string, preparing: Promise<Answer>, answer: Answer): void {
    if (this.#answers.get(key) !== preparing) return;
    this.#answers.set(key, answer);
    if (!PLAIN.has(key)) this.#budget.add(this, key.length + sizeOfAnswer(answer));
  }
}

/** Estimated memory of an answer, in bytes. */
export function sizeOfAnswer({ body, text }: Answer): number {
  const chunks = body === null ? [] : body instanceof Uint8Array ? [body] : body;
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return OVERHEAD + length + (text?.length ?? 0);
}
