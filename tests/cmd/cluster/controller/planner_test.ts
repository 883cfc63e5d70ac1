import assert from "node:assert/strict";
import { createNamespaceAdmission } from "../../../../cmd/cluster/controller/namespace_admission.ts";
import { Planner } from "../../../../cmd/cluster/controller/planner.ts";
import { PlanCache } from "../../../../cmd/io/gateway/plan_cache.ts";
import { createDefaultFleet } from "../../../../cmd/cluster/default_fleet.ts";
import { API_VERSION } from "../../../../lib/cluster/names.ts";
import type { KubernetesObject, ObjectMeta } from "../../../../lib/cluster/object.ts";
import { createFakeInformer } from "../fake_informer.ts";

function fleet(metadata: ObjectMeta): KubernetesObject {
  return { apiVersion: API_VERSION, kind: "Fleet", metadata, spec: { default: true } };
}

function createResources() {
  return { api: createFakeInformer(), fleet: createFakeInformer(), staticroute: createFakeInformer() };
}

/** Starts a planner over resources that are listed completely. */
async function startPlanner(resources: ReturnType<typeof createResources>): Promise<Planner> {
  const plans = new Planner({
    resources,
    admission: createNamespaceAdmission({ fleets: resources.fleet }),
    planCache: new PlanCache(),
    findAcceptedState: () => Promise.resolve(undefined),
    onChange: () => {},
    onError: () => {},
  });
  for (const informer of Object.values(resources)) informer.sync();
  await plans.ready;
  return plans;
}

const OPENAPI = `{"openapi": "3.1.0", "info": {"title": "Todo", "version": "1"}, "paths": {}}`;

Deno.test("Planner keeps nothing for fleets that nothing is on: clients of a webhook may name any", async () => {
  const resources = createResources();
  const plans = await startPlanner(resources);
  const nothing = plans.membersOf({ namespace: "x", name: "1" });
  const used = { namespace: "x", name: "2" };
  assert.equal(plans.membersOf(used), nothing);
  const metadata = { namespace: "shop", name: "todo", uid: "1", generation: 1 };
  const api = { apiVersion: API_VERSION, kind: "API", metadata, spec: { fleet: used, openapi: OPENAPI } };
  resources.api.set(api);
  await plans.idle();
  assert.deepEqual([...plans.membersOf(used).keys], ["API shop/todo"]);
  assert.equal(nothing.keys.size, 0);
  resources.api.delete(api);
  await plans.idle();
  assert.equal(plans.membersOf(used), nothing);
  plans.stop();
});

Deno.test("Planner uses the same default fleet as the management API and the mocks", async (t) => {
  const creationTimestamp = "2026-01-01T00:00:00Z";
  const cases = {
    "not for one that is being deleted": [
      { namespace: "a", name: "old", creationTimestamp, deletionTimestamp: "2026-01-03T00:00:00Z" },
      { namespace: "b", name: "new", creationTimestamp: "2026-01-02T00:00:00Z" },
    ],
    "of two as old as each other": [
      { namespace: "a-b", name: "x", creationTimestamp },
      { namespace: "a", name: "x", creationTimestamp },
    ],
    "there is none": [],
  };
  for (const [name, fleets] of Object.entries(cases)) {
    await t.step(name, async () => {
      const resources = createResources();
      resources.fleet.set(...fleets.map(fleet));
      const metadata = { namespace: "shop", name: "todo", uid: "1", generation: 1 };
      resources.api.set({ apiVersion: API_VERSION, kind: "API", metadata, spec: { openapi: OPENAPI } });
      const plans = await startPlanner(resources);
      assert.deepEqual(plans.get("API shop/todo")?.fleet, createDefaultFleet(resources.fleet)());
      plans.stop();
    });
  }
});
