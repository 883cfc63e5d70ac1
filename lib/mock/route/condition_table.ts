import type { Condition } from "../../openapi/path_condition.ts";
import type { RequestFacts } from "../../openapi/request_facts.ts";

/** The items that are indexed by a query or header of one name. */
interface Named<Item> {
  /** Items whose condition allows any value. */
  any: Item[] | undefined;
  readonly byValue: Map<string, Item[]>;
}

/**
 * An index of items that each have several conditions on queries and headers. An item is indexed by its rarest
 * condition only, so that a look-up returns few items whose other conditions the request doesn't fulfil.
 */
export class ConditionTable<Item> {
  readonly #queries = new Map<string, Named<Item>>();
  readonly #headers = new Map<string, Named<Item>>();
  /** The names of all queries in conditions. */
  readonly queryNames: ReadonlySet<string>;

  /** @param conditionsOf Reads the conditions of an item. An item without conditions is never found. */
  constructor(items: readonly Item[], conditionsOf: (item: Item) => readonly Condition[]) {
    const counts = new Map<string, number>();
    const queryNames = new Set<string>();
    for (const item of items) {
      for (const condition of conditionsOf(item)) {
        const key = keyOf(condition);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (condition.in === "query") queryNames.add(condition.name);
      }
    }
    this.queryNames = queryNames;
    for (const item of items) {
      let rarest: Condition | undefined;
      let fewest = Infinity;
      for (const condition of conditionsOf(item)) {
        const count = counts.get(keyOf(condition)) ?? 0;
        if (count < fewest) [rarest, fewest] = [condition, count];
      }
      if (rarest !== undefined) this.#file(rarest, item);
    }
  }

  /**
   * Lists candidates: the items whose indexed condition the request fulfils. The caller must check their other
   * conditions. If the request's headers aren't known, all items indexed by a header are candidates.
   */
  listsFor(facts: RequestFacts): readonly (readonly Item[])[] {
    const lists: (readonly Item[])[] = [];
    for (const [name, values] of facts.queries) {
      const named = this.#queries.get(name);
      if (named === undefined) continue;
      for (const value of values.length > 1 ? new Set(values) : values) {
        const items = named.byValue.get(value);
        if (items !== undefined) lists.push(items);
      }
      if (named.any !== undefined) lists.push(named.any);
    }
    if (this.#headers.size === 0) return lists;
    if (!facts.hasHeaders) {
      for (const { any, byValue } of this.#headers.values()) {
        if (any !== undefined) lists.push(any);
        for (const items of byValue.values()) lists.push(items);
      }
      return lists;
    }
    for (const [name, value] of facts.headersAmong(this.#headers)) {
      const named = this.#headers.get(name);
      const items = named?.byValue.get(value);
      if (items !== undefined) lists.push(items);
      if (named?.any !== undefined) lists.push(named.any);
    }
    return lists;
  }

  #file({ in: location, name, value }: Condition, item: Item): void {
    const table = location === "query" ? this.#queries : this.#headers;
    const named = table.get(name) ?? { any: undefined, byValue: new Map<string, Item[]>() };
    table.set(name, named);
    if (value === undefined) {
      (named.any ??= []).push(item);
      return;
    }
    const items = named.byValue.get(value);
    if (items === undefined) named.byValue.set(value, [item]);
    else items.push(item);
  }
}

function keyOf({ in: location, name, value }: Condition): string {
  return value === undefined ? `${location} ${name}` : `${location} ${name}\n${value}`;
}
