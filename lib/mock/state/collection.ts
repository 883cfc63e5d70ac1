import { isObject } from "../../schema/node.ts";
import type { Item, ItemList } from "./item.ts";

/** A collection with fewer items is searched without an index. */
const LEAST_INDEXED = 32;
/** Limit of the indexes of a collection. Searches by further properties read all items. */
const MOST_INDEXES = 8;
/** Estimated memory of an empty collection without its scope, in bytes. */
const COLLECTION_OVERHEAD = 300;

/** The items of an index that have the same value of the indexed property. */
interface Bucket {
  items: Map<string, Item>;
  /** Whether the items are in creation order. */
  isSorted: boolean;
}

/** An index: items by the value of a property, as text. */
type Index = Map<string, Bucket>;

/**
 * The items of a resource within one scope, in creation order. States and snapshots share a collection until one of
 * them writes to it (copy on write).
 */
export class Collection implements ItemList {
  readonly scope: readonly string[];
  readonly #items: Map<string, Item>;
  /**
   * The indexes, by the path of their property. An index is made at the first search by that property; `copy()` doesn't
   * copy it.
   */
  readonly #indexes = new Map<string, { path: readonly string[]; entries: Index }>();
  #bytes: number;
  /**
   * Reference count: the states and snapshots that share the collection. Only a collection with a count of 1 may be
   * changed.
   */
  referenceCount = 1;

  /** @param items Items with distinct keys, in creation order. */
  constructor(scope: readonly string[], items: Iterable<Item> = []) {
    this.scope = scope;
    this.#items = new Map();
    this.#bytes = COLLECTION_OVERHEAD + scope.reduce((bytes, part) => bytes + 4 * part.length, 0);
    for (const item of items) {
      this.#bytes += item.bytes - (this.#items.get(item.key)?.bytes ?? 0);
      this.#items.set(item.key, item);
    }
  }

  get size(): number {
    return this.#items.size;
  }

  /** Estimated memory of the collection with its items, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items.values();
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

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

  delete(item: Item): void {
    this.#items.delete(item.key);
    this.#bytes -= item.bytes;
    for (const { path, entries } of this.#indexes.values()) updateIndex(entries, path, item, undefined);
  }

  /**
   * The items whose property has this text as a string, number or boolean, in creation order. Large collections are
   * searched by an index.
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

/** An empty collection for callers that only read. It is shared, so nothing may be added to it. */
export const NO_ITEMS: Collection = new Collection([]);

/** Updates an index after an item was added (`from` is undefined), changed, or deleted (`to` is undefined). */
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
  // A changed item is appended to the bucket of its new value, although it may be older than the items there.
  if (from !== undefined && oldText !== text) bucket.isSorted = false;
  bucket.items.set(to.key, to);
}

function sortedItems(bucket: Bucket): ReadonlyMap<string, Item> {
  if (!bucket.isSorted) {
    bucket.items = new Map([...bucket.items].sort(([, a], [, b]) => a.created - b.created));
    bucket.isSorted = true;
  }
  return bucket.items;
}

function listOf(items: readonly Item[] | ReadonlyMap<string, Item>): ItemList {
  const size = items instanceof Map ? items.size : (items as readonly Item[]).length;
  return { size, [Symbol.iterator]: () => items.values() as IterableIterator<Item> };
}

/** The text of a property that is a string, number or boolean; `undefined` for other values. */
export function textAt({ value }: Pick<Item, "value">, path: readonly string[]): string | undefined {
  let part: unknown = value;
  for (const name of path) {
    if (!isObject(part) || !Object.hasOwn(part, name)) return undefined;
    part = part[name];
  }
  return typeof part === "string" || typeof part === "number" || typeof part === "boolean" ? String(part) : undefined;
}
