import type { Item, ItemList } from "../item/item.ts";

/** Fewer items are searched without an index. */
const LEAST_INDEXED = 32;
/** Limit of the indexes by property of one list. Searches by further properties read all items. */
const MOST_PROPERTY_INDEXES = 8;
/**
 * Limit of the length of a text in an index; longer texts are truncated. V8 hashes strings of more than 16,383
 * characters by their length alone, so an index of whole texts would take quadratic time.
 */
const MOST_INDEXED = 1_000;

/** The identity and the order of items in a list. */
export interface ItemOrder {
  /** A text that only one item of the list has. */
  readonly idOf: (item: Item) => string;
  /** The position of the item's scope. Items are ordered by this position, then by creation. */
  readonly positionOf: (item: Item) => number;
}

/** Describes an index: items by a text. */
export interface IndexBy {
  /** Identifies the index among those of the list. */
  readonly name: string;
  /** The text by which an item is found; `undefined` if the index omits the item. */
  readonly textOf: (item: Item) => string | undefined;
  /** Whether the index is by a property of the items. Requests choose the property, so these indexes are limited. */
  readonly isByProperty: boolean;
}

interface Index {
  readonly by: IndexBy;
  /**
   * The items of each text, by {@linkcode indexKey}. A text that one item has is stored without a list, which saves
   * memory.
   */
  readonly entries: Map<string, Item | OrderedItems>;
}

/** Items in order, with indexes. An index is made at its first use, and updated by each change. */
export class IndexedItems implements ItemList {
  readonly #order: ItemOrder;
  readonly #items: OrderedItems;
  readonly #indexes = new Map<string, Index>();

  constructor(order: ItemOrder) {
    this.#order = order;
    this.#items = new OrderedItems(order);
  }

  get size(): number {
    return this.#items.size;
  }

  get indexCount(): number {
    return this.#indexes.size;
  }

  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items[Symbol.iterator]();
  }

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  /** Adds an item, or replaces the item with its identity. Returns the replaced item. */
  put(item: Item): Item | undefined {
    const old = this.#items.put(item);
    for (const index of this.#indexes.values()) this.#update(index, old, item);
    return old;
  }

  delete(item: Item): void {
    this.#items.delete(item);
    for (const index of this.#indexes.values()) this.#update(index, item, undefined);
  }

  /** The items with this text, in order. Large lists are searched by an index. */
  find(by: IndexBy, text: string): ItemList {
    const index = this.#indexOf(by);
    const matching = (items: Iterable<Item>): ItemList => listOf([...items].filter((item) => by.textOf(item) === text));
    if (index === undefined) return matching(this.#items);
    const found = index.entries.get(indexKey(text));
    if (found === undefined) return listOf([]);
    const items = found instanceof OrderedItems ? found : listOf([found]);
    return text.length > MOST_INDEXED ? matching(items) : items;
  }

  #indexOf(by: IndexBy): Index | undefined {
    const known = this.#indexes.get(by.name);
    if (known !== undefined) return known;
    if (this.size < LEAST_INDEXED || (by.isByProperty && this.#propertyIndexes() >= MOST_PROPERTY_INDEXES)) {
      return undefined;
    }
    const index: Index = { by, entries: new Map() };
    for (const item of this.#items) this.#update(index, undefined, item);
    this.#indexes.set(by.name, index);
    return index;
  }

  #propertyIndexes(): number {
    return Array.from(this.#indexes.values()).filter(({ by }) => by.isByProperty).length;
  }

  /** Updates an index after an item was added (`from` is undefined), changed, or deleted (`to` is undefined). */
  #update({ by, entries }: Index, from: Item | undefined, to: Item | undefined): void {
    const oldKey = from && indexKey(by.textOf(from));
    const key = to && indexKey(by.textOf(to));
    if (from !== undefined && oldKey !== undefined && oldKey !== key) {
      const items = entries.get(oldKey);
      if (items instanceof OrderedItems) items.delete(from);
      if (!(items instanceof OrderedItems) || items.size === 0) entries.delete(oldKey);
    }
    if (to === undefined || key === undefined) return;
    const known = entries.get(key);
    if (known instanceof OrderedItems) known.put(to);
    else if (known === undefined || this.#order.idOf(known) === this.#order.idOf(to)) entries.set(key, to);
    else {
      const items = new OrderedItems(this.#order);
      items.put(known);
      items.put(to);
      entries.set(key, items);
    }
  }
}

/** Items in order. Items that were added out of order are sorted at the next iteration. */
class OrderedItems implements ItemList {
  readonly #order: ItemOrder;
  #items = new Map<string, Item>();
  #last: Item | undefined;
  #isSorted = true;

  constructor(order: ItemOrder) {
    this.#order = order;
  }

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): IterableIterator<Item> {
    if (!this.#isSorted) this.#sort();
    return this.#items.values();
  }

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  put(item: Item): Item | undefined {
    const id = this.#order.idOf(item);
    const old = this.#items.get(id);
    this.#items.set(id, item);
    if (old !== undefined) return old;
    if (this.#last !== undefined && this.#precedes(item, this.#last)) this.#isSorted = false;
    else this.#last = item;
    return undefined;
  }

  delete(item: Item): void {
    this.#items.delete(this.#order.idOf(item));
  }

  #precedes(one: Item, other: Item): boolean {
    const { positionOf } = this.#order;
    const difference = positionOf(one) - positionOf(other);
    return difference < 0 || (difference === 0 && one.created < other.created);
  }

  #sort(): void {
    const { positionOf } = this.#order;
    const sorted = Array.from(this.#items, ([id, item]) => ({ id, item, position: positionOf(item) }));
    sorted.sort((a, b) => a.position - b.position || a.item.created - b.item.created);
    this.#items = new Map(sorted.map(({ id, item }) => [id, item]));
    this.#last = sorted.at(-1)?.item;
    this.#isSorted = true;
  }
}

/** A text as a key of an index. A truncated text differs from all texts that aren't truncated. */
function indexKey<Text extends string | undefined>(text: Text): Text | string {
  // The concatenation copies the characters, so that the key doesn't keep the whole text in memory.
  return text === undefined || text.length <= MOST_INDEXED ? text : `${text.slice(0, MOST_INDEXED)}…`;
}

function listOf(items: readonly Item[]): ItemList {
  return { size: items.length, [Symbol.iterator]: () => items.values() };
}
