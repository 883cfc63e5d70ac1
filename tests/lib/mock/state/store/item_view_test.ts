import assert from "node:assert/strict";
import fc from "fast-check";
import { Collection, textAt } from "../../../../../lib/mock/state/store/collection.ts";
import type { InitialState } from "../../../../../lib/mock/state/store/initial_state.ts";
import {
  createItem,
  fitsScope,
  type Item,
  scopeKey,
  type ScopePattern,
} from "../../../../../lib/mock/state/item/item.ts";
import { StateBudget } from "../../../../../lib/mock/state/store/limits.ts";
import { loadState, readState, writeState } from "../../../../../lib/mock/state/store/saved_state.ts";
import { State } from "../../../../../lib/mock/state/store/store.ts";
import { ViewCache } from "../../../../../lib/mock/state/store/view_cache.ts";
import { runs } from "../../../../runs.ts";

/** The scopes of orders: a user and a shop. The initial state lists the first four, and the fifth has items too. */
const SCOPES = [["ann", "x"], ["ann", "y"], ["bob", "x"], ["cleo", "x"], ["dora", "y"], ["new", "x"], ["new", "z"]];
const LISTED = SCOPES.slice(0, 4);
const KEYS = ["1", "2", "30", "new"];
/** An index truncates long texts, so both long ones have the same key in it. */
const LONG = "p".repeat(2_000);
const STATUSES = ["open", "paid", LONG, `${LONG}aid`];
const PATTERNS: readonly ScopePattern[] = [
  [undefined, undefined],
  ["ann", undefined],
  ["new", undefined],
  [undefined, "x"],
  [undefined, "nowhere"],
];

/** The initial state, with more orders in Bob's scope than are searched without an index. */
function initialState(): InitialState & { reads: number } {
  const initial = new Map(
    SCOPES.slice(0, 5).map((scope) => {
      const count = scope[0] === "bob" ? 40 : 2;
      const items = Array.from({ length: count }, (_, index) => {
        const value = { user: scope[0], status: STATUSES[index % STATUSES.length] };
        return createItem({ key: String(index + 1), scope, value }, 0, index - count);
      });
      return [scopeKey(scope), new Collection(scope, items)];
    }),
  );
  return {
    reads: 0,
    views: new ViewCache(),
    resources: [],
    prepare: () => undefined,
    fill: () => undefined,
    collection(_, scope) {
      this.reads++;
      return initial.get(scopeKey(scope)) ?? new Collection(scope);
    },
    scopes: () => LISTED,
    mayHaveItems: (_, prefix) =>
      SCOPES.slice(0, 5).some((scope) => prefix.every((part, index) => part === scope[index])),
  };
}

/** The orders in matching scopes, read from one scope after the other. */
function scan(state: State, pattern: ScopePattern): Item[] {
  const taken = state.snapshot();
  const own = taken.own.get("orders");
  state.drop(taken);
  const scopes = new Map<string, readonly string[]>();
  for (const scope of own?.cleared.has("") === true ? [] : LISTED) scopes.set(scopeKey(scope), scope);
  for (const [key, { scope }] of own?.collections ?? []) scopes.set(key, scope);
  const items = [...scopes.values()].filter((scope) => fitsScope(scope, pattern))
    .flatMap((scope) => [...state.list("orders", scope)]);
  const added = items.filter(({ created }) => created >= 0).sort((a, b) => a.created - b.created);
  return [...items.filter(({ created }) => created < 0), ...added];
}

/** Asserts that reads with a pattern find what a scan finds. */
function checkReads(state: State, pattern: ScopePattern): void {
  const items = scan(state, pattern);
  const list = state.list("orders", pattern);
  assert.deepEqual([...list], items);
  assert.equal(list.size, items.length);
  for (const key of KEYS) assert.equal(state.get("orders", pattern, key), items.find((item) => item.key === key));
  for (
    const [path, text] of [["status", "open"], ["status", "none"], ["status", LONG], ["user", "bob"]] as const
  ) {
    const found = state.find("orders", pattern, [path], text);
    const wanted = items.filter((item) => textAt(item, [path]) === text);
    assert.deepEqual([...found], wanted);
    assert.equal(found.size, wanted.length);
  }
}

const at = fc.nat(2);
const scope = fc.constantFrom(...SCOPES);
const key = fc.constantFrom(...KEYS);
const status = fc.constantFrom(...STATUSES);
const prefix = fc.constantFrom<ScopePattern>(
  [],
  ["ann", undefined],
  ["bob", "x"],
  ["dora", "y"],
  [undefined, "x"],
  ["new", "x"],
);

const STEP = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("put" as const), at, scope, key, status }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("delete" as const), at, scope, key }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("read" as const), at, pattern: fc.constantFrom(...PATTERNS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("clear" as const), at, prefix }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rebind" as const), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fork" as const), at, to: at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("snapshot" as const), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("save and load" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop views" as const), at }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

async function run(states: State[], snapshots: (ReturnType<State["snapshot"]> | undefined)[], step: Step) {
  const state = states[step.at];
  assert.ok(state !== undefined);
  switch (step.kind) {
    case "put": {
      const { scope, key, status } = step;
      return void state.put("orders", { key, scope, value: { user: scope[0], status } });
    }
    case "delete":
      return void state.delete("orders", step.scope, step.key);
    case "read":
      return checkReads(state, step.pattern);
    case "clear":
      return state.clear("orders", step.prefix);
    case "reset":
      return state.reset();
    case "rebind":
      return state.rebind(initialState());
    case "fork":
      return void (states[step.to] = state.fork());
    case "snapshot":
      return void (snapshots[step.at] = state.snapshot());
    case "restore":
      return snapshots[step.at] && state.restore(snapshots[step.at] ?? state.snapshot());
    case "save and load":
      return await loadState(state, readState([...writeState(state.snapshot(), state.revision)].join("")));
    case "drop views":
      return state.initial.views.clear();
  }
}

Deno.test("reads over several scopes find what a scan of the scopes finds, after any changes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 100, size: "max" }), async (steps) => {
      const initial = initialState();
      const states = Array.from({ length: 3 }, () => new State(initial, new StateBudget()));
      const snapshots: ReturnType<State["snapshot"]>[] = [];
      for (const step of steps) await run(states, snapshots, step);
      for (const state of states) for (const pattern of PATTERNS) checkReads(state, pattern);
    }),
    runs(100),
  );
});

const CHANGES: readonly { name: string; change: (state: State, round: number) => void }[] = [
  { name: "none", change: () => {} },
  { name: "put()", change: put },
  {
    name: "put() and delete()",
    change: (state, round) => {
      put(state, round);
      state.delete("orders", [`user ${round}`, "x"], "1");
    },
  },
  {
    name: "put() and clear() of a scope",
    change: (state, round) => {
      put(state, round);
      state.clear("orders", [`user ${round}`, undefined]);
    },
  },
];

function put(state: State, round: number): void {
  state.put("orders", { key: "1", scope: [`user ${round}`, "x"], value: { user: round, status: "open" } });
}

for (const { name, change } of CHANGES) {
  Deno.test(`reads over several scopes don't read each scope again, with these changes in between: ${name}`, () => {
    const initial = initialState();
    const state = new State(initial, new StateBudget());
    const read = (): void => {
      state.get("orders", [undefined, undefined], "30");
      state.list("orders", ["ann", undefined]);
      state.find("orders", [undefined, undefined], ["user"], "bob");
    };
    change(state, 0);
    read();
    for (let round = 1; round < 20; round++) {
      change(state, round);
      initial.reads = 0;
      read();
      assert.equal(initial.reads, 0);
    }
  });
}

Deno.test("sessions that have written nothing share a view", () => {
  const initial = initialState();
  const [one, other] = [1, 2].map(() => new State(initial, new StateBudget()));
  assert.equal(one?.list("orders", [undefined, undefined]), other?.list("orders", [undefined, undefined]));
});

Deno.test("items of any number of parents that the session added are found", () => {
  const state = new State(initialState(), new StateBudget());
  const initial = state.list("orders", [undefined, undefined]).size;
  for (let round = 0; round < 1_500; round++) put(state, round);
  assert.equal(state.list("orders", [undefined, undefined]).size, initial + 1_500);
  assert.equal(state.list("orders", ["user 1499", undefined]).size, 1);
});
