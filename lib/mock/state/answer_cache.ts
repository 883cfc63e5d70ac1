import type { Answer } from "../answer.ts";
import type { Item } from "./item.ts";
import type { UsedItem } from "./relations.ts";
import type { State } from "./store.ts";

/** Estimated memory of all cached answers of a server. Above {@linkcode MOST_CACHED} bytes, all are dropped. */
export interface CacheUse {
  bytes: number;
  /** Incremented when all cached answers are dropped. The answers of a cache with an older number are invalid. */
  generation: number;
}

/**
 * A cached answer, and the results of the searches for the items of other resources that are embedded in it
 * (`customer: {id: …}`).
 */
interface CachedAnswer {
  readonly answer: Answer;
  readonly used: readonly UsedItem[];
}

/** Limit of the memory of all cached answers, in bytes. When it is exceeded, all of them are dropped. */
const MOST_CACHED = 32 * 1024 * 1024;
/** Estimated memory of a cached answer without its body, in bytes. */
const ANSWER_OVERHEAD = 1_000;
/**
 * Limit of the cached answers of one item. Each `Accept` header may have its own answer, and clients may send any
 * number of different ones.
 */
const MOST_FOR_ITEM = 4;
/** Limit of the length of an `Accept` header whose answers are cached. */
const MOST_ACCEPT = 1_000;

/** Limit of the cached lists of one session and operation. */
const MOST_LISTS = 20;

/**
 * Caches the answers of one list operation, by URL and `Accept` header. An answer is valid until the next write of its
 * session.
 */
export class ListAnswers {
  readonly #use: CacheUse;
  #byState = new WeakMap<State, { readonly revision: number; readonly answers: Map<string, Answer> }>();
  #generation = 0;

  constructor(use: CacheUse) {
    this.#use = use;
  }

  /** The cached answer, if the session has written nothing since. */
  get(state: State, key: string): Answer | undefined {
    const cached = this.#generation === this.#use.generation ? this.#byState.get(state) : undefined;
    return cached?.revision === state.revision ? cached.answers.get(key) : undefined;
  }

  set(state: State, key: string, answer: Answer): void {
    if (countAnswer(this.#use, answer) || this.#generation !== this.#use.generation) {
      this.#byState = new WeakMap();
      this.#generation = this.#use.generation;
    }
    let cached = this.#byState.get(state);
    if (cached?.revision !== state.revision || cached.answers.size >= MOST_LISTS) {
      this.#byState.set(state, cached = { revision: state.revision, answers: new Map() });
    }
    cached.answers.set(key, answer);
  }
}

/**
 * Caches the answers of one operation that show an item. Items are immutable objects, so a write to an item needs no
 * invalidation.
 */
export class ItemAnswers {
  readonly #use: CacheUse;
  #byItem = new WeakMap<Item, Map<string, CachedAnswer>>();
  #generation = 0;

  constructor(use: CacheUse) {
    this.#use = use;
  }

  /** The cached answer, if the items of other resources that are embedded in it haven't changed. */
  get(item: Item, accept: string | null, state: State): Answer | undefined {
    if (this.#generation !== this.#use.generation) return undefined;
    const cached = this.#byItem.get(item)?.get(accept ?? "");
    return cached !== undefined && isCurrent(cached.used, state) ? cached.answer : undefined;
  }

  /** @param used The results of the searches for the items of other resources that are embedded in the answer. */
  set(item: Item, accept: string | null, answer: Answer, used: readonly UsedItem[]): void {
    if (countAnswer(this.#use, answer) || this.#generation !== this.#use.generation) {
      this.#byItem = new WeakMap();
      this.#generation = this.#use.generation;
    }
    let answers = this.#byItem.get(item);
    if (answers === undefined) this.#byItem.set(item, answers = new Map());
    const key = accept ?? "";
    if (key.length > MOST_ACCEPT || (!answers.has(key) && answers.size >= MOST_FOR_ITEM)) return;
    answers.set(key, { answer, used });
  }
}

/** Whether the items that are embedded in an answer haven't changed. */
function isCurrent(used: readonly UsedItem[], state: State): boolean {
  return used.every(({ resource, scope, key, item }) => state.get(resource, scope, key) === item);
}

/**
 * Adds the memory of an answer to the total. Returns true if this exceeds the limit, so that all cached answers must be
 * dropped.
 */
function countAnswer(use: CacheUse, { body }: Answer): boolean {
  const size = ANSWER_OVERHEAD + (body instanceof Uint8Array ? 2 * body.length : 0);
  const isFull = use.bytes + size > MOST_CACHED;
  if (isFull) {
    use.bytes = 0;
    use.generation++;
  }
  use.bytes += size;
  return isFull;
}
