import assert from "node:assert/strict";
import fc from "fast-check";
import { Sessions } from "../../../../lib/mock/session/sessions.ts";
import { Collection } from "../../../../lib/mock/state/store/collection.ts";
import type { InitialState } from "../../../../lib/mock/state/store/initial_state.ts";
import { createItem, type Item, scopeKey } from "../../../../lib/mock/state/item/item.ts";
import { loadState, readState, writeState } from "../../../../lib/mock/state/store/saved_state.ts";
import { ViewCache } from "../../../../lib/mock/state/store/view_cache.ts";
import { runs } from "../../../runs.ts";

/** The expected contents of a session: by scope, the names of pets by id, in the order of their creation. */
type Model = Map<string, Map<string, string>>;

const SCOPES = [["ann"], ["bob"], ["cleo"]];
const KEYS = ["1", "2", "3", "30", "new", "old"];
const NAMES = ["Tom", "Rex", "Ivy"];
/** A number of items for which a collection makes an index. */
const MANY = 40;

/** The initial pets: two in Ann's scope, many in Bob's, none in Cleo's. */
function initialPets(scope: readonly string[]): [string, string][] {
  const count = scope[0] === "ann" ? 2 : scope[0] === "bob" ? MANY : 0;
  return Array.from({ length: count }, (_, index) => [`${index + 1}`, NAMES[index % NAMES.length] ?? ""]);
}

function initialState(): InitialState {
  const collections = new Map(SCOPES.map((scope) => {
    const items = initialPets(scope).map(([key, name], index) =>
      createItem({ key, scope, value: { name } }, 0, index - MANY)
    );
    return [scopeKey(scope), new Collection(scope, items)];
  }));
  return {
    views: new ViewCache(),
    resources: [],
    prepare: () => undefined,
    fill: () => undefined,
    collection: (_, scope) => collections.get(scopeKey(scope)) ?? new Collection(scope),
    scopes: () => SCOPES,
    mayHaveItems: (_, [user]) => user !== "cleo",
  };
}

const initialModel = (): Model => new Map(SCOPES.map((scope) => [scopeKey(scope), new Map(initialPets(scope))]));
const copyOf = (model: Model): Model => new Map(Array.from(model, ([scope, pets]) => [scope, new Map(pets)]));

const session = fc.constantFrom("", "a", "b", "c");
const named = fc.constantFrom("a", "b", "c");
const scope = fc.constantFrom(...SCOPES);
const key = fc.constantFrom(...KEYS);
const name = fc.constantFrom(...NAMES);
const snapshot = fc.constantFrom("first", "second");

const STEP = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), session, scope, key, name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), session, scope, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), session, scope: fc.option(scope) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("replace" as const), session, scope, key, name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const), session }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fork" as const), session, to: named }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("snapshot" as const), session, snapshot }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore" as const), session, snapshot }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const), session: named }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("save and load" as const), session }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

/** Sessions with models of their expected contents. */
class Pair {
  readonly sessions = new Sessions({ initialStateOf: () => INITIAL });
  readonly models = new Map<string, { pets: Model; snapshots: Map<string, Model> }>();

  modelOf(session: string): { pets: Model; snapshots: Map<string, Model> } {
    let model = this.models.get(session);
    if (model === undefined) this.models.set(session, model = { pets: initialModel(), snapshots: new Map() });
    return model;
  }

  async run(step: Step): Promise<void> {
    const { state } = this.sessions.of(step.session);
    const model = this.modelOf(step.session);
    switch (step.kind) {
      case "put":
        state.put("pets", { key: step.key, scope: step.scope, value: { name: step.name } });
        model.pets.get(scopeKey(step.scope))?.set(step.key, step.name);
        break;
      case "delete":
        assert.equal(
          state.delete("pets", step.scope, step.key),
          model.pets.get(scopeKey(step.scope))?.delete(step.key),
        );
        break;
      case "clear":
        if (step.scope === null) state.clear("pets");
        else state.clear("pets", step.scope);
        for (const scope of step.scope === null ? SCOPES : [step.scope]) model.pets.get(scopeKey(scope))?.clear();
        break;
      case "replace":
        state.replace("pets", [{ key: step.key, scope: step.scope, value: { name: step.name } }]);
        for (const pets of model.pets.values()) pets.clear();
        model.pets.get(scopeKey(step.scope))?.set(step.key, step.name);
        break;
      case "reset":
        this.sessions.of(step.session).reset();
        model.pets = initialModel();
        break;
      case "fork":
        this.sessions.fork(step.session, step.to);
        this.models.set(step.to, { pets: copyOf(model.pets), snapshots: new Map() });
        break;
      case "snapshot":
        this.sessions.of(step.session).snapshot(step.snapshot);
        model.snapshots.set(step.snapshot, copyOf(model.pets));
        break;
      case "restore": {
        const kept = model.snapshots.get(step.snapshot);
        assert.equal(this.sessions.of(step.session).restore(step.snapshot), kept !== undefined);
        if (kept !== undefined) model.pets = copyOf(kept);
        break;
      }
      case "drop":
        this.sessions.delete(step.session);
        this.models.delete(step.session);
        break;
      case "save and load": {
        const taken = state.snapshot();
        const text = [...writeState(taken, state.revision)].join("");
        state.drop(taken);
        await loadState(state, readState(text));
      }
    }
  }

  /** Asserts that each session has the contents of its model, in each scope and in all of them. */
  check(): void {
    for (const [name, { pets }] of this.models) {
      const { state } = this.sessions.of(name);
      const total = [...pets.values()].reduce((sum, { size }) => sum + size, 0);
      assert.equal(state.list("pets", [undefined]).size, total);
      for (const scope of SCOPES) {
        const wanted = [...pets.get(scopeKey(scope)) ?? []];
        assert.deepEqual(textsOf(state.list("pets", scope)), wanted);
        assert.equal(state.list("pets", scope).size, wanted.length);
        assert.deepEqual(
          textsOf(state.find("pets", scope, ["name"], "Tom")),
          wanted.filter(([, name]) => name === "Tom"),
        );
        for (const key of KEYS) {
          assert.equal(state.get("pets", scope, key)?.value["name"], pets.get(scopeKey(scope))?.get(key));
        }
      }
    }
  }
}

const INITIAL = initialState();

function textsOf(items: Iterable<Item>): [string, unknown][] {
  return Array.from(items, ({ key, value }) => [key, value["name"]]);
}

Deno.test("sessions don't see each other's writes, and release all memory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 60, size: "max" }), async (steps) => {
      const pair = new Pair();
      for (const step of steps) {
        await pair.run(step);
        pair.check();
      }
      for (const { name, snapshots } of pair.sessions.list()) {
        for (const kept of snapshots) pair.sessions.of(name).dropSnapshot(kept);
        pair.sessions.delete(name);
      }
      assert.deepEqual(pair.sessions.budget.used, { items: 0, bytes: 0, snapshots: 0 });
    }),
    runs(200),
  );
});
