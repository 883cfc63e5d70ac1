import assert from "node:assert/strict";
import { Collection } from "../../../../../lib/mock/state/store/collection.ts";
import { EMPTY_STATE, type InitialState } from "../../../../../lib/mock/state/store/initial_state.ts";
import { createItem, scopeKey } from "../../../../../lib/mock/state/item/item.ts";
import { StateBudget, StateFullError, type StateLimits } from "../../../../../lib/mock/state/store/limits.ts";
import { State } from "../../../../../lib/mock/state/store/store.ts";
import { ViewCache } from "../../../../../lib/mock/state/store/view_cache.ts";

/** An initial state with the pets 1 and 2, and with one order in the scope of each of two users. */
function initialState(): InitialState {
  const make = (scope: string[], ids: number[]) =>
    new Collection(
      scope,
      ids.map((id, index) => createItem({ key: `${id}`, scope, value: { id } }, 0, index - ids.length)),
    );
  const collections = new Map([
    ["pets", make([], [1, 2])],
    [`orders${scopeKey(["ann"])}`, make(["ann"], [10])],
    [`orders${scopeKey(["bob"])}`, make(["bob"], [20])],
  ]);
  return {
    views: new ViewCache(),
    resources: [],
    prepare: () => undefined,
    fill: () => undefined,
    collection: (resource, scope) => collections.get(resource + scopeKey(scope)) ?? new Collection(scope),
    scopes: (resource) => resource === "pets" ? [[]] : resource === "orders" ? [["ann"], ["bob"]] : [],
    mayHaveItems: (resource, [user]) => resource === "pets" || user === undefined || user === "ann" || user === "bob",
  };
}

function stateOf(limits: Partial<StateLimits> = {}, initial = initialState()): { state: State; budget: StateBudget } {
  const budget = new StateBudget(limits);
  return { state: new State(initial, budget), budget };
}

const keys = (items: Iterable<{ key: string }>): string[] => [...items].map(({ key }) => key);

Deno.test("a state begins with the initial items and stores nothing of its own", () => {
  const { state, budget } = stateOf();
  assert.deepEqual(keys(state.list("pets", [])), ["1", "2"]);
  assert.equal(state.get("pets", [], "2")?.value["id"], 2);
  assert.equal(state.delete("pets", [], "3"), false);
  assert.deepEqual(state.used, { items: 0, bytes: 0 });
  assert.deepEqual(budget.used, { items: 0, bytes: 0, snapshots: 0 });
});

Deno.test("new items follow the initial items in creation order; a replaced item keeps its position", () => {
  const { state } = stateOf();
  state.put("pets", { key: "9", scope: [], value: { id: 9 } });
  state.put("pets", { key: "0", scope: [], value: { id: 0 } });
  const replaced = state.put("pets", { key: "1", scope: [], value: { id: 1, name: "Tom" } });
  assert.deepEqual(keys(state.list("pets", [])), ["1", "2", "9", "0"]);
  assert.equal(replaced.revision, 3);
  assert.equal(state.get("pets", [], "2")?.revision, 0);
  assert.equal(state.list("pets", []).size, 4);
});

Deno.test("a scope has its own items; a pattern matches the initial items of several scopes, then those added", () => {
  const { state } = stateOf();
  state.put("orders", { key: "11", scope: ["ann"], value: { id: 11 } });
  state.put("orders", { key: "30", scope: ["cleo"], value: { id: 30 } });
  assert.deepEqual(keys(state.list("orders", ["ann"])), ["10", "11"]);
  assert.deepEqual(keys(state.list("orders", [undefined])), ["10", "20", "11", "30"]);
  assert.equal(state.get("orders", [undefined], "30")?.scope[0], "cleo");
  assert.equal(state.get("orders", ["bob"], "30"), undefined);
  state.clear("orders", ["ann"]);
  assert.deepEqual(keys(state.list("orders", [undefined])), ["20", "30"]);
});

Deno.test("find() finds current items by a value, with and without an index", () => {
  for (const count of [3, 100]) {
    const { state } = stateOf({}, EMPTY_STATE);
    const put = (id: number, owner: unknown) =>
      state.put("pets", { key: `${id}`, scope: [], value: { id, owner: { id: owner } } });
    for (let id = 0; id < count; id++) put(id, id % 2 === 0 ? "even" : 1);
    const found = () => keys(state.find("pets", [], ["owner", "id"], "1"));
    assert.equal(found().length, Math.floor(count / 2));
    put(0, "1");
    state.delete("pets", [], "1");
    put(count, true);
    assert.equal(found()[0], "0");
    assert.ok(!found().includes("1"));
    assert.deepEqual(keys(state.find("pets", [], ["owner", "id"], "true")), [`${count}`]);
    assert.deepEqual(keys(state.find("pets", [], ["owner", "toString"], "true")), []);
  }
});

Deno.test("fork(), snapshot() and restore() isolate writes, and release all memory", () => {
  const { state, budget } = stateOf();
  state.put("pets", { key: "3", scope: [], value: { id: 3 } });
  const fork = state.fork();
  const before = state.snapshot();
  const shared = budget.used;
  state.delete("pets", [], "1");
  fork.put("pets", { key: "4", scope: [], value: { id: 4 } });
  assert.deepEqual(keys(state.list("pets", [])), ["2", "3"]);
  assert.deepEqual(keys(fork.list("pets", [])), ["1", "2", "3", "4"]);
  state.restore(before);
  assert.deepEqual(keys(state.list("pets", [])), ["1", "2", "3"]);
  fork.close();
  assert.deepEqual(budget.used, shared);
  state.drop(before);
  state.reset();
  assert.deepEqual(keys(state.list("pets", [])), ["1", "2"]);
  assert.deepEqual(budget.used, { items: 0, bytes: 0, snapshots: 0 });
});

Deno.test("clear() and replace() remove the initial items; replace() beyond a limit changes nothing", () => {
  const { state, budget } = stateOf({ items: 3 });
  state.replace("pets", [{ key: "7", scope: [], value: { id: 7 } }]);
  assert.deepEqual(keys(state.list("pets", [])), ["7"]);
  const used = budget.used;
  const four = [1, 2, 3, 4].map((id) => ({ key: `${id}`, scope: [], value: { id } }));
  assert.throws(() => state.replace("pets", four), StateFullError);
  assert.deepEqual(keys(state.list("pets", [])), ["7"]);
  assert.deepEqual(budget.used, used);
  state.clear("orders");
  assert.equal(state.list("orders", [undefined]).size, 0);
  assert.equal(state.list("orders", ["ann"]).size, 0);
});

Deno.test("put() refuses an id, or a parent's id, that is too long, and changes nothing", () => {
  const state = new State(initialState(), new StateBudget({ idLength: 3 }));
  const refused = { limit: "idLength" };
  assert.throws(() => state.put("pets", { key: "1234", scope: [], value: {} }), refused);
  assert.throws(() => state.put("orders", { key: "1", scope: ["anna"], value: {} }), refused);
  assert.equal(state.revision, 0);
  state.put("orders", { key: "123", scope: ["ann"], value: {} });
  assert.equal(state.revision, 1);
});

const CASES: { limits: Partial<StateLimits>; limit: string }[] = [
  { limits: { items: 4 }, limit: "items" },
  { limits: { bytes: 2000 }, limit: "bytes" },
  { limits: { allItems: 4 }, limit: "allItems" },
  { limits: { allBytes: 2000 }, limit: "allBytes" },
];

for (const { limits, limit } of CASES) {
  Deno.test(`a write beyond ${JSON.stringify(limits)} names the limit and changes nothing`, () => {
    const { state, budget } = stateOf(limits);
    let written = 2;
    const write = () => {
      for (; written < 50; written++) state.put("pets", { key: `k${written}`, scope: [], value: { id: written } });
    };
    assert.throws(write, (error) => error instanceof StateFullError && error.limit === limit);
    assert.equal(state.list("pets", []).size, written);
    const used = budget.used;
    assert.throws(write, StateFullError);
    assert.deepEqual(budget.used, used);
    assert.equal(state.delete("pets", [], "1"), true);
  });
}

Deno.test("clear() of a scope without initial items stores nothing, however often it is called", () => {
  const { state, budget } = stateOf();
  for (let round = 0; round < 100; round++) {
    state.put("orders", { key: "1", scope: [`user-${round}`], value: {} });
    state.clear("orders", [`user-${round}`]);
  }
  assert.deepEqual(budget.used, { items: 0, bytes: 0, snapshots: 0 });
  state.clear("orders", ["ann"]);
  state.put("orders", { key: "1", scope: ["ann"], value: {} });
  assert.deepEqual(keys(state.list("orders", ["ann"])), ["1"]);
  const used = budget.used;
  state.clear("orders", ["ann"]);
  state.put("orders", { key: "1", scope: ["ann"], value: {} });
  assert.deepEqual(budget.used, used);
});

Deno.test("a closed state can still be written, but doesn't count for the server's limits", () => {
  const { state, budget } = stateOf();
  const before = state.snapshot();
  state.put("pets", { key: "3", scope: [], value: { id: 3 } });
  state.close();
  state.put("pets", { key: "4", scope: [], value: { id: 4 } });
  const fork = state.fork();
  state.restore(before);
  fork.put("pets", { key: "5", scope: [], value: { id: 5 } });
  fork.close();
  state.drop(before);
  assert.deepEqual(budget.used, { items: 0, bytes: 0, snapshots: 0 });
});

Deno.test("a state remembers the last 1,000 deleted items of a resource", () => {
  const state = new State(EMPTY_STATE, new StateBudget());
  for (let id = 0; id <= 1_000; id++) {
    state.put("pets", { key: `${id}`, scope: [], value: { id } });
    state.delete("pets", [], `${id}`);
  }
  assert.deepEqual([0, 1, 1_000].map((id) => state.wasDeleted("pets", [], `${id}`)), [false, true, true]);
  const fork = state.fork();
  fork.put("pets", { key: "1", scope: [], value: { id: 1 } });
  assert.deepEqual([fork, state].map((one) => one.wasDeleted("pets", [], "1")), [false, true]);
});
