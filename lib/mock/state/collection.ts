import { isObject } from "../../schema/node.ts";
import type { Item, ItemList } from "./item.ts";

/** The fewest items that are worth an index. */
const LEAST_INDEXED = 32;
/** The most properties of a collection with an index. Further properties are searched without one. */
const MOST_INDEXES = 8;
/** Estimated memory in bytes of an empty collection, without its scope. */
const COLLECTION_OVERHEAD = 300;

/** The items with the same value of a property. */
interface Bucket {
  items: Map<string, Item>;
  /** Whether the items are in the order of their creation. */
  isSorted: boolean;
}

/** An index: items by the value of a property, as text. */
type Index = Map<string, Bucket>;

/**
 * The items of a resource within one scope, in the order of their creation. Sessions and snapshots share a collection
 * (copy on write): the one that writes to it copies it first.
 */
export class Collection implements ItemList {
  readonly scope: readonly string[];
  readonly #items: Map<string, Item>;
  /** The indexes by the path of their property. An index is made at the first search, and isn't copied. */
  readonly #indexes = new Map<string, { path: readonly string[]; entries: Index }>();
  #bytes: number;
  /** The number of sessions and snapshots that share the collection. */
  holders = 1;

  /** @param items Items in the order of their creation, each with its own key. */
  constructor(scope: readonly string[], items: Iterable<Item> = []) {
    this.scope = scope;
    this.#items = new Map();
    this.#bytes = COLLECTION_OVERHEAD + scope.reduce((bytes, part) => bytes + 4 * part.length, 0);
    for (const item of items) {
      this.#bytes += item.bytes - (this.#items.get(item.key)?.bytes ?? 0);
      this.#items.set(item.key, item);
    }
  }

  /** The number of items. */
  get size(): number {
    return this.#items.size;
  }

  /** Estimated memory of the collection with its items, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The items in the order of their creation. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items.values();
  }

  /** The item with a key. */
  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  /** A copy with the same items. */
  copy(): Collection {
    return new Collection(this.scope, this.#items.values());
  }

  /** Adds an item, or replaces the item with its key. */
  put(item: Item): void {
    const old = this.#items.get(item.key);
    this.#items.set(item.key, item);
    this.#bytes += item.bytes - (old?.bytes ?? 0);
    for (const { path, entries } of this.#indexes.values()) updateIndex(entries, path, old, item);
  }

  /** Removes an item. */
  delete(item: Item): void {
    this.#items.delete(item.key);
    this.#bytes -= item.bytes;
    for (const { path, entries } of this.#indexes.values()) updateIndex(entries, path, item, undefined);
  }

  /**
   * The items whose property is a string, number or boolean with the given text, in the order of their creation. Uses
   * an index if there are many items.
   */
  find(path: readonly string[], text: string): ItemList {
    const index = this.#indexOf(path);
    if (index === undefined) return listOf([...this].filter((item) => textAt(item, path) === text));
    const bucket = index.get(text);
    return bucket === undefined ? NO_ITEMS : listOf(sortedItems(bucket));
  }

  #indexOf(path: readonly string[]): Index | undefined {
    const key = JSON.stringify(path);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known.entries;
    if (this.#items.size < LEAST_INDEXED || this.#indexes.size >= MOST_INDEXES) return undefined;
    const entries: Index = new Map();
    for (const item of this.#items.values()) updateIndex(entries, path, undefined, item);
    this.#indexes.set(key, { path, entries });
    return entries;
  }
}

/** An empty collection without a scope. Nothing may be added to it. */
export const NO_ITEMS: Collection = new Collection([]);

/** Updates an index for an item that was added (`from` is undefined), changed, or deleted (`to` is undefined). */
function updateIndex(index: Index, path: readonly string[], from: Item | undefined, to: Item | undefined): void {
  const oldText = from && textAt(from, path);
  const text = to && textAt(to, path);
  if (from !== undefined && oldText !== undefined && oldText !== text) {
    const items = index.get(oldText)?.items;
    items?.delete(from.key);
    if (items?.size === 0) index.delete(oldText);
  }
  if (to === undefined || text === undefined) return;
  const bucket = index.get(text);
  if (bucket === undefined) {
    index.set(text, { items: new Map([[to.key, to]]), isSorted: true });
    return;
  }
  // A changed item may be older than the last one in its new bucket.
  if (from !== undefined && oldText !== text) bucket.isSorted = false;
  bucket.items.set(to.key, to);
}

/** The items of a bucket in the order of their creation. */
function sortedItems(bucket: Bucket): ReadonlyMap<string, Item> {
  if (!bucket.isSorted) {
    bucket.items = new Map([...bucket.items].sort(([, a], [, b]) => a.created - b.created));
    bucket.isSorted = true;
  }
  return bucket.items;
}

/** A list of given items. */
function listOf(items: readonly Item[] | ReadonlyMap<string, Item>): ItemList {
  const size = items instanceof Map ? items.size : (items as readonly Item[]).length;
  return { size, [Symbol.iterator]: () => items.values() as IterableIterator<Item> };
}

/** The text of a property that is a string, number or boolean; `undefined` for any other. */
export function textAt({ value }: Pick<Item, "value">, path: readonly string[]): string | undefined {
  let part: unknown = value;
  for (const name of path) {
    if (!isObject(part) || !Object.hasOwn(part, name)) return undefined;
    part = part[name];
  }
  return typeof part === "string" || typeof part === "number" || typeof part === "boolean" ? String(part) : undefined;
}
