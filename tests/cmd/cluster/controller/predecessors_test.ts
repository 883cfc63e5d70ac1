import assert from "node:assert/strict";
import { createPredecessors } from "../../../../cmd/cluster/controller/predecessors.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";

const PARENTS = [{ name: "edge" }];

function route(name: string, generation?: number): KubernetesObject {
  const metadata = { namespace: "shop", name, ...(generation === undefined ? {} : { generation }) };
  return { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata, spec: { parentRefs: PARENTS } };
}

/** Which of the states are attached to a Gateway. */
function attached(states: readonly KubernetesObject[]): boolean[] {
  return states.map(({ spec }) => Object(spec).parentRefs.length > 0);
}

Deno.test("createPredecessors() gives as many states as make a generation that nobody had", () => {
  const predecessors = createPredecessors();
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [true]);
  predecessors.note(route("a", 3));
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [true]);
  predecessors.note(route("a", 1));
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [false, true]);
  predecessors.note(route("a", 2));
  assert.deepEqual(attached(predecessors.statesOf(route("a"))), [false, true, false, true]);
  assert.deepEqual(attached(predecessors.statesOf(route("b"))), [true]);
});

Deno.test("createPredecessors() never takes more than nine writes, however often a name is used again", () => {
  const predecessors = createPredecessors();
  let latest = 0;
  for (let round = 0; round < 100; round++) {
    const generation = predecessors.statesOf(route("a")).length;
    assert(generation <= 9, `${generation} writes`);
    assert.notEqual(generation, latest);
    latest = generation;
    predecessors.note(route("a", generation));
  }
});

Deno.test("createPredecessors() forgets after ten minutes", () => {
  let now = 0;
  const predecessors = createPredecessors(() => now);
  predecessors.note(route("a", 1));
  now = 599_999;
  assert.equal(predecessors.statesOf(route("a")).length, 2);
  now = 600_000;
  assert.equal(predecessors.statesOf(route("a")).length, 1);
});

Deno.test("createPredecessors() leaves alone what no gateway says anything of", () => {
  const predecessors = createPredecessors();
  const grant = { apiVersion: "gateway.networking.k8s.io/v1beta1", kind: "ReferenceGrant", metadata: { name: "a" } };
  predecessors.note({ ...grant, metadata: { name: "a", generation: 1 } });
  assert.deepEqual(predecessors.statesOf(grant), [grant]);
});
