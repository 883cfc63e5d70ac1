import assert from "node:assert/strict";
import fc from "fast-check";
import { Collection } from "../../../../../lib/mock/state/store/collection.ts";
import { createItem } from "../../../../../lib/mock/state/item/item.ts";
import type { InitialState } from "../../../../../lib/mock/state/store/initial_state.ts";
import { StateBudget, StateFullError } from "../../../../../lib/mock/state/store/limits.ts";
import { loadState, readState, writeState } from "../../../../../lib/mock/state/store/saved_state.ts";
import { State } from "../../../../../lib/mock/state/store/store.ts";
import { writeJson } from "../../../../../lib/schema/json/json.ts";
import { runs } from "../../../../runs.ts";
import { ViewCache } from "../../../../../lib/mock/state/store/view_cache.ts";

/** An initial state with pets, given as names by id. */
function petsOf(names: Readonly<Record<string, string>>): InitialState {
  const items = Object.entries(names).map(([key, name], index) =>
    createItem({ key, scope: [], value: { id: key, name } }, 0, index - 10)
  );
  return {
    views: new ViewCache(),
    resources: [],
    prepare: () => undefined,
    fill: () => undefined,
    collection: (resource, scope) => new Collection(scope, resource === "pets" ? items : []),
    scopes: () => [[]],
    mayHaveItems: () => true,
  };
}

const INITIAL = petsOf({ a: "Ann", b: "Bob", c: "Cleo" });

function stateOf(initial = INITIAL, limits = {}): { state: State; budget: StateBudget } {
  const budget = new StateBudget(limits);
  return { state: new State(initial, budget), budget };
}

const textOf = (state: State): string => [...writeState(state.snapshot(), state.revision)].join("");
const pets = (state: State): unknown[] => Array.from(state.list("pets", []), ({ key, value }) => [key, value["name"]]);

Deno.test("readState() restores what writeState() wrote, and writing it again gives the same text", async () => {
  const { state } = stateOf();
  state.put("pets", { key: "d", scope: [], value: { name: "Dora" } });
  state.put("pets", { key: "b", scope: [], value: { name: "Bea" } });
  state.delete("pets", [], "a");
  state.put("orders", { key: "1", scope: ["ann", "x y"], value: { ["__proto__"]: 1 } });
  const text = textOf(state);
  assert.ok(!text.includes("Cleo"), "an initial item is written by its key");
  const { state: loaded, budget } = stateOf();
  await loadState(loaded, readState(text));
  assert.deepEqual(pets(loaded), [["b", "Bea"], ["c", "Cleo"], ["d", "Dora"]]);
  assert.deepEqual(loaded.get("orders", ["ann", "x y"], "1"), state.get("orders", ["ann", "x y"], "1"));
  assert.equal(textOf(loaded), text);
  assert.equal(budget.used.items, 4);
  assert.ok(loaded.put("pets", { key: "e", scope: [], value: {} }).revision > state.revision);
});

Deno.test("readState() keeps the digits of integers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), { minLength: 1 }), async (ids) => {
      const { state } = stateOf();
      for (const id of ids) state.put("pets", { key: String(id), scope: [], value: { id, name: "x", list: [id] } });
      const { state: loaded } = stateOf();
      const text = textOf(state);
      await loadState(loaded, readState(text));
      assert.equal(textOf(loaded), text);
      for (const id of ids) {
        const value = loaded.get("pets", [], String(id))?.value;
        assert.equal(writeJson(value), `{"id":${id},"name":"x","list":[${id}]}`);
      }
    }),
    runs(200),
  );
});

Deno.test("loadState() keeps cleared collections empty; unchanged ones have the new definition's initial items", async () => {
  const { state } = stateOf();
  assert.equal(textOf(state), '{"version":1,"revision":0,"resources":{\n}}\n');
  const { state: untouched } = stateOf(petsOf({ z: "Zoe" }));
  await loadState(untouched, readState(textOf(state)));
  assert.deepEqual(pets(untouched), [["z", "Zoe"]]);
  state.clear("pets");
  state.delete("toys", [], "1");
  const { state: cleared } = stateOf(petsOf({ z: "Zoe" }));
  await loadState(cleared, readState(textOf(state)));
  assert.deepEqual(pets(cleared), []);
});

Deno.test("loadState() refuses a state that exceeds the limits", async () => {
  const { state } = stateOf();
  state.put("pets", { key: "d", scope: [], value: {} });
  const { state: small, budget } = stateOf(INITIAL, { items: 3 });
  await assert.rejects(loadState(small, readState(textOf(state))), StateFullError);
  assert.equal(small.list("pets", []).size, 3);
  assert.equal(budget.used.items, 0);
});

const BROKEN: [string, RegExp][] = [
  ["{", /line 1 column 2/],
  ["[]", /It isn't the state of a mock server/],
  ['{"version":2,"resources":{}}', /Its version is 2, but this gw reads version 1/],
  ['{"version":1,"resources":{}}', /revision isn't a whole number/],
  ['{"version":1,"revision":1,"resources":{"a":[]}}', /resources.a isn't an object/],
  [
    '{"version":1,"revision":1,"resources":{"a":{"cleared":[[1]]}}}',
    /resources.a.cleared has a value that isn't a text/,
  ],
  [
    '{"version":1,"revision":1,"resources":{"a":{"cleared":[],"collections":[{"scope":[],"items":[{"key":1}]}]}}}',
    /resources.a.collections\[0\].items\[0\] has no key/,
  ],
];

for (const [text, message] of BROKEN) {
  Deno.test(`${text} is refused`, () => {
    assert.throws(() => readState(text), message);
  });
}
