import { isObject } from "../../../schema/json/node.ts";
import { type IndexBy, IndexedItems, type ItemOrder } from "./indexed_items.ts";
import type { Item, ItemList } from "../item/item.ts";
import { writeJson } from "../../../schema/json/json.ts";
import { isNumber } from "../../../schema/json/value.ts";

/** Estimated memory of an empty collection without its scope, in bytes. */
const COLLECTION_OVERHEAD = 300;

const BY_CREATION: ItemOrder = { idOf: ({ key }) => key, positionOf: () => 0 };

/**
 * The items of a resource within one scope, in creation order. States and snapshots share a collection until one of
 * them writes to it (copy on write).
 */
export class Collection implements ItemList {
  readonly scope: readonly string[];
  /** `copy()` doesn't copy the indexes. */
  readonly #items = new IndexedItems(BY_CREATION);
  #bytes: number;
  /**
   * Reference count: the states and snapshots that share the collection. Only a collection with a count of 1 may be
   * changed.
   */
  referenceCount = 1;

  /** @param items Items with distinct keys. */
  constructor(scope: readonly string[], items: Iterable<Item> = []) {
    this.scope = scope;
    this.#bytes = COLLECTION_OVERHEAD + scope.reduce((bytes, part) => bytes + 4 * part.length, 0);
    for (const item of items) this.put(item);
  }

  get size(): number {
    return this.#items.size;
  }

  /** Estimated memory of the collection with its items, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items[Symbol.iterator]();
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  copy(): Collection {
    return new Collection(this.scope, this);
  }

  /** Adds an item, or replaces the item with its key. */
  put(item: Item): void {
    const old = this.#items.put(item);
    this.#bytes += item.bytes - (old?.bytes ?? 0);
  }

  delete(item: Item): void {
    this.#items.delete(item);
    this.#bytes -= item.bytes;
  }

  /**
   * The items whose property has this text as a string, number or boolean, in creation order. Large collections are
   * searched by an index.
   */
  find(path: readonly string[], text: string): ItemList {
    return this.#items.find(indexByProperty(path), text);
  }
}

/** An empty collection for callers that only read. It is shared, so nothing may be added to it. */
export const NO_ITEMS: Collection = new Collection([]);

function indexByProperty(path: readonly string[]): IndexBy {
  return { name: writeJson(path), textOf: (item) => textAt(item, path), isByProperty: true };
}

/** The text of a property that is a string, number or boolean; `undefined` for other values. */
export function textAt({ value }: Pick<Item, "value">, path: readonly string[]): string | undefined {
  let part: unknown = value;
  for (const name of path) {
    if (!isObject(part) || !Object.hasOwn(part, name)) return undefined;
    part = part[name];
  }
  return typeof part === "string" || isNumber(part) || typeof part === "boolean" ? String(part) : undefined;
}
