import assert from "node:assert/strict";
import { Predecessors } from "../../../../lib/cluster/protection/predecessors.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";

const PARENTS = [{ name: "edge" }];

function route(name: string, generation?: number): KubernetesObject {
  const metadata = { namespace: "shop", name, ...(generation === undefined ? {} : { generation }) };
  return { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata, spec: { parentRefs: PARENTS } };
}

/** For each state of a route: whether it is attached to a Gateway. */
function attached(states: readonly KubernetesObject[]): boolean[] {
  return states.map(({ spec }) => Object(spec).parentRefs.length > 0);
}

Deno.test("Predecessors give as many states as it takes to reach a generation that no predecessor had", () => {
  const predecessors = new Predecessors(() => 0);
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [true]);
  predecessors.note(route("a", 3));
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [true]);
  predecessors.note(route("a", 1));
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [false, true]);
  predecessors.note(route("a", 2));
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [false, true, false, true]);
  assert.deepEqual(attached(predecessors.statesOf(route("b"))), [true]);
});

Deno.test("Predecessors bound the writes that re-create an object to nine", () => {
  const predecessors = new Predecessors(() => 0);
  let latest = 0;
  for (let round = 0; round < 100; round++) {
    const generation = predecessors.statesOf(route("a")).length;
    assert(generation <= 9, `${generation} writes`);
    assert.notEqual(generation, latest);
    latest = generation;
    predecessors.note(route("a", generation));
  }
});

Deno.test("Predecessors are forgotten after ten minutes", () => {
  let now = 0;
  const predecessors = new Predecessors(() => now);
  predecessors.note(route("a", 1));
  now = 599_999;
  assert.equal(predecessors.statesOf(route("a")).length, 2);
  now = 600_000;
  assert.equal(predecessors.statesOf(route("a")).length, 1);
});

Deno.test("Predecessors don't matter for kinds without a status", () => {
  const predecessors = new Predecessors(() => 0);
  const grant = { apiVersion: "gateway.networking.k8s.io/v1beta1", kind: "ReferenceGrant", metadata: { name: "a" } };
  predecessors.note({ ...grant, metadata: { name: "a", generation: 1 } });
  assert.deepEqual(predecessors.statesOf(grant), [grant]);
});
