import assert from "node:assert/strict";
import { EMPTY_STATE } from "../../../../../lib/mock/state/store/initial_state.ts";
import type { Item } from "../../../../../lib/mock/state/item/item.ts";
import { listItems } from "../../../../../lib/mock/state/list/list_items.ts";
import type { ListedItem } from "../../../../../lib/mock/state/list/listing.ts";
import { StateBudget } from "../../../../../lib/mock/state/store/limits.ts";
import { Selections } from "../../../../../lib/mock/state/list/selections.ts";
import { State } from "../../../../../lib/mock/state/store/store.ts";
import { planTestList } from "../list_definitions.ts";

Deno.test("Selections returns a selection again until the next write of its session", () => {
  const state = new State(EMPTY_STATE, new StateBudget());
  const selections = new Selections();
  const [first, other]: Item[][] = [[], []];
  assert.ok(first !== undefined && other !== undefined);
  const fail = (): never => assert.fail("selected again");
  assert.equal(selections.get(state, "a", () => first), first);
  assert.equal(selections.get(state, "b", () => other), other);
  assert.equal(selections.get(state, "a", fail), first);
  assert.equal(selections.get(state, "b", fail), other);
  assert.equal(selections.get(state.fork(), "a", () => other), other, "another session");
  state.put("pets", { key: "1", scope: [], value: {} });
  assert.equal(selections.get(state, "a", () => other), other);
  assert.equal(selections.get(state, "a", fail), other);
});

Deno.test("Selections keeps at most eight selections of a session, with keys of limited length", () => {
  const state = new State(EMPTY_STATE, new StateBudget());
  const selections = new Selections();
  // Selections are cached by weak references.
  const kept: Item[][] = [];
  const isCached = (key: string): boolean => {
    let isSelected = false;
    selections.get(state, key, () => {
      isSelected = true;
      const items: Item[] = [];
      kept.push(items);
      return items;
    });
    return !isSelected;
  };
  const keys = ["1", "2", "3", "4", "5", "6", "7", "8"];
  assert.deepEqual(keys.filter(isCached), []);
  assert.deepEqual(keys.filter(isCached), keys);
  assert.equal(isCached("9"), false);
  assert.equal(isCached("1"), false);
  const long = "a".repeat(1_001);
  assert.deepEqual([isCached(long), isCached(long)], [false, false]);
});

const PARAMETERS = `[
  {name: sort, in: query, schema: {type: string}}, {name: min_age, in: query, schema: {type: integer}},
  {name: limit, in: query, schema: {type: integer}}, {name: page, in: query, schema: {type: integer}}]`;

Deno.test("listItems() has one key for the pages of a list, and another for another filter, order or path", async () => {
  const plan = await planTestList({ parameters: PARAMETERS.replaceAll("\n", " ") });
  const items: ListedItem[] = [3, 1, 2].map((id) => ({ key: String(id), value: { id, age: id } }));
  const cache = new Map<string, readonly ListedItem[]>();
  const idsOf = (path: string, query: string): unknown => {
    const cached = (key: string, select: () => readonly ListedItem[]): readonly ListedItem[] => {
      const selected = cache.get(key) ?? select();
      cache.set(key, selected);
      return selected;
    };
    const page = listItems(plan, { all: () => items, size: items.length, cached }, {
      url: `http://localhost${path}?${query}`,
      headers: new Headers(),
      target: { path, query, pathParameters: {} },
    });
    return page.kind === "page" && page.items.map(({ key }) => key).join("");
  };
  assert.equal(idsOf("/pets", "sort=id&limit=2"), "12");
  assert.equal(idsOf("/pets", "sort=id&limit=2&page=2"), "3");
  assert.equal(idsOf("/pets", "page=3&limit=1&sort=id"), "3");
  assert.equal(cache.size, 1);
  assert.equal(idsOf("/pets", "sort=-id&limit=2"), "32");
  assert.equal(idsOf("/pets", "sort=-id&min_age=3"), "3");
  assert.equal(idsOf("/owners/1/pets", "sort=id&limit=2"), "12");
  assert.equal(cache.size, 4);
  assert.equal(idsOf("/pets", "limit=2"), "31");
  assert.equal(cache.size, 4, "a page in creation order needs no cache");
});
