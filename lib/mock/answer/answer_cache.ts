import type { Answer } from "./answer.ts";

/** Limits of the caches of answers. */
export interface CacheLimits {
  /** Limit of the cached answers of one operation. */
  readonly answers: number;
  /**
   * Limit of the bytes of all operations' cached answers. Answers to clients that accept any media type don't count.
   */
  readonly bytes: number;
}

const LIMITS: CacheLimits = { answers: 200, bytes: 32 * 1024 * 1024 };

/** Estimated memory of an answer without its key and body, in bytes. */
const OVERHEAD = 1024;

/**
 * Cache keys of answers to clients that accept any media type. An operation has at most two such answers, so they don't
 * count against the limit of bytes.
 */
const PLAIN: ReadonlySet<string> = new Set(["", "*/*"]);

/**
 * Limits the bytes of the caches of all operations together. Otherwise clients whose requests all differ could fill the
 * memory. When the limit is exceeded, every cache is emptied.
 */
export class CacheBudget {
  readonly limits: CacheLimits;
  readonly #caches = new Map<AnswerCache, number>();
  #bytes = 0;

  constructor(limits: CacheLimits = LIMITS) {
    this.limits = limits;
  }

  add(cache: AnswerCache, bytes: number): void {
    this.#caches.set(cache, (this.#caches.get(cache) ?? 0) + bytes);
    this.#bytes += bytes;
    if (this.#bytes > this.limits.bytes) { for (const full of this.#caches.keys()) full.clear(); }
  }

  /** Subtracts the bytes of a cache that was emptied. */
  remove(cache: AnswerCache): void {
    this.#bytes -= this.#caches.get(cache) ?? 0;
    this.#caches.delete(cache);
  }
}

/** Caches the answers of one operation, by the criteria of requests. A cache with too many answers is emptied. */
export class AnswerCache {
  readonly #answers = new Map<string, Answer | Promise<Answer>>();
  /** The answers that are cached or being prepared, by criteria. */
  readonly answers: ReadonlyMap<string, Answer | Promise<Answer>> = this.#answers;
  readonly #budget: CacheBudget;

  constructor(budget: CacheBudget) {
    this.#budget = budget;
  }

  /**
   * Caches an answer that is being prepared. If the preparation fails, the entry is removed, so that the next request
   * retries.
   */
  set(key: string, preparing: Promise<Answer>): void {
    if (this.#answers.size >= this.#budget.limits.answers) this.clear();
    this.#answers.set(key, preparing);
    preparing.then(
      (answer) => this.#keep(key, preparing, answer),
      () => this.#answers.get(key) === preparing && this.#answers.delete(key),
    );
  }

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
