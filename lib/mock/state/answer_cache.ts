import type { Answer } from "../answer/answer.ts";
import type { Item } from "./item/item.ts";
import type { ListPage } from "./list/listing.ts";
import type { UsedItem } from "./item/relations.ts";
import type { MediaPlan } from "./response_plan.ts";
import type { State } from "./store/store.ts";

/** Estimated memory of all cached answers of a server. Above {@linkcode MOST_CACHED} bytes, all are dropped. */
export interface CacheUse {
  bytes: number;
  /** The caches with answers. */
  readonly caches: Set<AnswerCache>;
}

interface AnswerCache {
  /** Drops the answers of the cache, which frees their memory. */
  clear(): void;
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
/** Limit of the memory of one cached answer, in bytes. Larger answers aren't cached. */
const MOST_FOR_ANSWER = MOST_CACHED / 4;
/** Estimated memory of a cached answer without its body, in bytes. */
const ANSWER_OVERHEAD = 1_000;
/**
 * Limit of the cached answers of one item. Each `Accept` header and seed may have its own answer, and clients may send
 * any number of different ones.
 */
const MOST_FOR_ITEM = 4;
/** Limit of the length of an `Accept` header whose answers are cached. */
const MOST_ACCEPT = 1_000;

/** Limit of the cached pages that begin with the same item. */
const MOST_FOR_FIRST = 4;

/** A page of a list, with all that its answer depends on beside the embedded items. */
export interface ShownPage extends Pick<ListPage<Item>, "items" | "values" | "headers" | "fields" | "remarks"> {
  /** The negotiated media type; `undefined` if the answer has no body. */
  readonly media: MediaPlan | undefined;
  /** The session's seed, from which headers are generated. */
  readonly seed: number;
}

interface CachedPage extends CachedAnswer {
  readonly page: ShownPage;
}

/** Stands for the first item of an empty page. */
const NO_ITEM = {};

/**
 * Caches the answers of one list operation by the contents of their pages. Items are immutable objects, so a write needs
 * no invalidation: pages that don't show the changed item are found again.
 */
export class PageAnswers implements AnswerCache {
  readonly #use: CacheUse;
  #byFirst = new WeakMap<object, CachedPage[]>();

  constructor(use: CacheUse) {
    this.#use = use;
  }

  /** The cached answer that shows a page, if the items of other resources that are embedded in it haven't changed. */
  get(page: ShownPage, state: State): Answer | undefined {
    const cached = this.#byFirst.get(page.items[0] ?? NO_ITEM)?.find((cached) => isSamePage(cached.page, page));
    return cached !== undefined && isCurrent(cached.used, state) ? cached.answer : undefined;
  }

  /** @param used The results of the searches for the items of other resources that are embedded in the answer. */
  set(page: ShownPage, answer: Answer, used: readonly UsedItem[]): void {
    const counted = countAnswer(this.#use, answer, [...page.items, ...itemsOf(used)]);
    if (counted === "too large") return;
    this.#use.caches.add(this);
    const first = page.items[0] ?? NO_ITEM;
    const others = (this.#byFirst.get(first) ?? []).filter((cached) => !isSamePage(cached.page, page));
    this.#byFirst.set(first, [{ page, answer, used }, ...others.slice(0, MOST_FOR_FIRST - 1)]);
  }

  clear(): void {
    this.#byFirst = new WeakMap();
  }
}

function isSamePage(one: ShownPage, other: ShownPage): boolean {
  return one.media === other.media && one.seed === other.seed &&
    isSameList(one.items, other.items, (a, b) => a === b) &&
    isSameList([...one.fields ?? [""]], [...other.fields ?? [""]], (a, b) => a === b) &&
    isSameList(one.values, other.values, (a, b) => a.path === b.path && a.value === b.value) &&
    isSameList(one.headers, other.headers, ([a, x], [b, y]) => a === b && x === y) &&
    isSameList(one.remarks, other.remarks, (a, b) => a === b);
}

function isSameList<Part>(
  one: readonly Part[],
  other: readonly Part[],
  isSame: (a: Part, b: Part) => boolean,
): boolean {
  return one.length === other.length && one.every((part, index) => isSame(part, other[index] as Part));
}

/**
 * Caches the answers of one operation that show an item. Items are immutable objects, so a write to an item needs no
 * invalidation.
 */
export class ItemAnswers implements AnswerCache {
  readonly #use: CacheUse;
  #byItem = new WeakMap<Item, Map<string, CachedAnswer>>();

  constructor(use: CacheUse) {
    this.#use = use;
  }

  /**
   * The cached answer, if the items of other resources that are embedded in it haven't changed.
   *
   * @param seed The session's seed, from which headers are generated.
   */
  get(item: Item, accept: string | null, seed: number, state: State): Answer | undefined {
    const cached = this.#byItem.get(item)?.get(keyOf(accept, seed));
    return cached !== undefined && isCurrent(cached.used, state) ? cached.answer : undefined;
  }

  /**
   * @param seed The session's seed.
   * @param used The results of the searches for the items of other resources that are embedded in the answer.
   */
  set(item: Item, accept: string | null, seed: number, answer: Answer, used: readonly UsedItem[]): void {
    if (accept !== null && accept.length > MOST_ACCEPT) return;
    const key = keyOf(accept, seed);
    const known = this.#byItem.get(item);
    if (known !== undefined && !known.has(key) && known.size >= MOST_FOR_ITEM) return;
    if (countAnswer(this.#use, answer, itemsOf(used)) === "too large") return;
    this.#use.caches.add(this);
    let answers = this.#byItem.get(item);
    if (answers === undefined) this.#byItem.set(item, answers = new Map());
    answers.set(key, { answer, used });
  }

  clear(): void {
    this.#byItem = new WeakMap();
  }
}

function keyOf(accept: string | null, seed: number): string {
  return `${seed} ${accept ?? ""}`;
}

/** Whether the items that are embedded in an answer haven't changed. */
function isCurrent(used: readonly UsedItem[], state: State): boolean {
  return used.every(({ resource, scope, key, item }) => state.get(resource, scope, key) === item);
}

function itemsOf(used: readonly UsedItem[]): Item[] {
  return used.flatMap(({ item }) => item ?? []);
}

/**
 * Adds the memory of an answer to the total. If the total then exceeds the limit, all other cached answers are dropped.
 *
 * @param items The items that the cache keeps in memory with the answer, even after they have changed.
 * @returns `too large` if the answer must not be cached, since it would take the place of many others.
 */
function countAnswer(use: CacheUse, { headers, body }: Answer, items: readonly Item[]): "counted" | "too large" {
  let size = ANSWER_OVERHEAD;
  for (const chunk of body instanceof Uint8Array ? [body] : body ?? []) size += 2 * chunk.length;
  for (const [, value] of headers) size += 2 * value.length;
  for (const { bytes } of items) size += bytes;
  if (size > MOST_FOR_ANSWER) return "too large";
  if (use.bytes + size > MOST_CACHED) {
    for (const cache of use.caches) cache.clear();
    use.caches.clear();
    use.bytes = 0;
  }
  use.bytes += size;
  return "counted";
}
