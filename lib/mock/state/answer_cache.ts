import type { Answer } from "../answer.ts";
import type { Item } from "./item.ts";

/** The memory of cached answers: when they take too much, all are dropped. */
export interface CacheUse {
  bytes: number;
  /** Grows when the cached answers are dropped. */
  generation: number;
}

/** The most memory of cached answers, in bytes: beyond it, all are dropped. */
const MOST_CACHED = 32 * 1024 * 1024;
/** The memory of a cached answer beside its body. */
const ANSWER_OVERHEAD = 1_000;
/** The most answers that are cached for one item: clients may send any number of `Accept` headers. */
const MOST_FOR_ITEM = 4;

/** The answers that were encoded for the items of one operation. An item never changes: a write makes another. */
export class ItemAnswers {
  #byItem = new WeakMap<Item, Map<string, Answer>>();
  #generation = 0;

  /** The cached answer. */
  get(use: CacheUse, item: Item, accept: string | null): Answer | undefined {
    return this.#generation === use.generation ? this.#byItem.get(item)?.get(accept ?? "") : undefined;
  }

  /** Caches an answer. */
  set(use: CacheUse, item: Item, accept: string | null, answer: Answer): void {
    const size = ANSWER_OVERHEAD + (answer.body instanceof Uint8Array ? 2 * answer.body.length : 0);
    if (use.bytes + size > MOST_CACHED) {
      use.bytes = 0;
      use.generation++;
    }
    if (this.#generation !== use.generation) {
      this.#byItem = new WeakMap();
      this.#generation = use.generation;
    }
    let answers = this.#byItem.get(item);
    if (answers === undefined) this.#byItem.set(item, answers = new Map());
    if (answers.size >= MOST_FOR_ITEM) return;
    use.bytes += size;
    answers.set(accept ?? "", answer);
  }
}
