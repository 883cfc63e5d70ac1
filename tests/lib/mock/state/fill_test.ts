import assert from "node:assert/strict";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { createInitialStates } from "../../../../lib/mock/state/store/initial_states.ts";
import type { InitialState } from "../../../../lib/mock/state/store/initial_state.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { SHOP } from "./shop.ts";

const ITEMS = 5;

/** The initial state of a shop, and the number of slices so far. */
async function start(isSliced: boolean): Promise<{ state: InitialState; slices: () => number }> {
  let slices = 0;
  const resources = inferResources([await parseDocument(SHOP)]);
  const rest = (): Promise<void> => {
    slices++;
    return new Promise((resolve) => setTimeout(resolve));
  };
  const options = { items: ITEMS, ...createHandlerContext(), ...isSliced ? { rest } : {} };
  const state = createInitialStates(resources, options)(0);
  for (const { name } of resources.all) await state.prepare(name);
  return { state, slices: () => slices };
}

const itemsIn = (state: InitialState, name: string, scope: readonly string[]): unknown[] =>
  Array.from(state.collection(name, scope), ({ key, value }) => ({ key, value }));

Deno.test("initial items that are generated in slices are those that are generated at once", async () => {
  const [{ state: whole }, { state: sliced, slices }] = await Promise.all([start(false), start(true)]);
  assert.equal(whole.fill("customers", []), undefined);
  const filling = sliced.fill("customers", []);
  assert.equal(sliced.fill("customers", []), filling);
  await filling;
  assert.ok(slices() >= ITEMS);
  assert.equal(sliced.fill("customers", []), undefined);
  assert.deepEqual(itemsIn(sliced, "customers", []), itemsIn(whole, "customers", []));
  const [first] = sliced.collection("customers", []);
  await sliced.fill("customers.orders", [first?.key ?? ""]);
  assert.deepEqual(
    itemsIn(sliced, "customers.orders", [first?.key ?? ""]),
    itemsIn(whole, "customers.orders", [first?.key ?? ""]),
  );
  assert.equal(sliced.fill("customers.orders", ["none"]), undefined);
});

Deno.test("the items of all parents are filled, and items that are needed meanwhile are the same", async () => {
  const [{ state: whole }, { state: sliced }] = await Promise.all([start(false), start(true)]);
  const filling = sliced.fill("customers.orders", [undefined]);
  const early = itemsIn(sliced, "customers", []);
  await filling;
  assert.equal(sliced.fill("customers.orders", [undefined]), undefined);
  assert.deepEqual(early, itemsIn(whole, "customers", []));
  for (const scope of sliced.scopes("customers.orders")) {
    assert.equal(sliced.fill("customers.orders", scope), undefined);
    assert.deepEqual(itemsIn(sliced, "customers.orders", scope), itemsIn(whole, "customers.orders", scope));
  }
});
