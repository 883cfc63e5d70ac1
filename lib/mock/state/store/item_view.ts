import { type Collection, textAt } from "./collection.ts";
import { type IndexBy, IndexedItems } from "./indexed_items.ts";
import { type Item, type ItemList, scopeKey, type ScopePattern } from "../item/item.ts";
import { writeJson } from "../../../schema/json/json.ts";

/** Estimated memory of an empty view, of an item's entry, and of its entry in an index, in bytes. */
const VIEW_BYTES = 500;
const ENTRY_BYTES = 80;
const INDEX_ENTRY_BYTES = 80;

/**
 * A materialised view of a resource: the items of all its scopes in one list, for requests that don't name all parents,
 * such as `GET /orders` for the orders of all users.
 *
 * Order: the initial items, one scope after the other; then the items that the session added, in creation order.
 */
export class ItemView {
  /** The length of the scopes. Items with a scope of another length aren't in the view. */
  readonly depth: number;
  readonly #items: IndexedItems;
  /** The positions of the scopes of initial items, by `scopeKey`. */
  readonly #positions = new Map<string, number>();

  /** @param collections The collections of all scopes of this length. */
  constructor(depth: number, collections: Iterable<Collection>) {
    this.depth = depth;
    this.#items = new IndexedItems({
      idOf: ({ scope, key }) => scopeKey(scope) + key,
      positionOf: (item) => this.#positionOf(item),
    });
    const added: Item[] = [];
    for (const collection of collections) {
      for (const item of collection) {
        if (isInitial(item)) this.put(item);
        else added.push(item);
      }
    }
    for (const item of added.sort((a, b) => a.created - b.created)) this.put(item);
  }

  /** Estimated memory of the view without its items, in bytes. */
  get bytes(): number {
    return VIEW_BYTES + this.#items.size * (ENTRY_BYTES + INDEX_ENTRY_BYTES * this.#items.indexCount);
  }

  /** The first item with a key in a matching scope. */
  get(pattern: ScopePattern, key: string): Item | undefined {
    const [first] = this.#items.find(indexBy(pattern, "key", (item) => item.key), scopeText(pattern) + key);
    return first;
  }

  list(pattern: ScopePattern): ItemList {
    if (pattern.every((value) => value === undefined)) return this.#items;
    return this.#items.find(indexBy(pattern, "scope", () => ""), scopeText(pattern));
  }

  /** The items in matching scopes whose property has this text as a string, number or boolean. */
  find(pattern: ScopePattern, path: readonly string[], text: string): ItemList {
    const by = indexBy(pattern, writeJson(path), (item) => textAt(item, path));
    return this.#items.find({ ...by, isByProperty: true }, scopeText(pattern) + text);
  }

  /** Adds an item, or replaces the item with its scope and key. */
  put(item: Item): void {
    if (item.scope.length !== this.depth) return;
    if (isInitial(item)) {
      const key = scopeKey(item.scope);
      if (!this.#positions.has(key)) this.#positions.set(key, this.#positions.size);
    }
    this.#items.put(item);
  }

  delete(item: Item): void {
    if (item.scope.length === this.depth) this.#items.delete(item);
  }

  /** Deletes the items in scopes that begin with these values. */
  clear(prefix: readonly string[]): void {
    const pattern = Array.from({ length: this.depth }, (_, index) => prefix[index]);
    for (const item of [...this.list(pattern)]) this.#items.delete(item);
  }

  /** The position of an item's scope. The items that the session added come after those of all scopes. */
  #positionOf(item: Item): number {
    return isInitial(item) ? this.#positions.get(scopeKey(item.scope)) ?? 0 : Number.MAX_SAFE_INTEGER;
  }
}

/** Whether an item is an initial item, perhaps changed since. */
function isInitial({ created }: Item): boolean {
  return created < 0;
}

/** An index by the values that a pattern defines, followed by another text. */
function indexBy(pattern: ScopePattern, name: string, textOf: (item: Item) => string | undefined): IndexBy {
  const defined = Array.from(pattern.keys()).filter((index) => pattern[index] !== undefined);
  return {
    name: `${defined} ${name}`,
    textOf: (item) => {
      const text = textOf(item);
      return text === undefined ? undefined : scopeKey(defined.map((index) => item.scope[index] ?? "")) + text;
    },
    isByProperty: false,
  };
}

function scopeText(pattern: ScopePattern): string {
  return scopeKey(pattern.filter((value) => value !== undefined));
}
