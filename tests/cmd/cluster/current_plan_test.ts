import assert from "node:assert/strict";
import { isCurrentPlan } from "../../../cmd/cluster/current_plan.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject, ObjectMeta } from "../../../lib/cluster/object.ts";
import { planRoutes } from "../../../lib/gateway/plan_routes.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const KNOWN = api({ uid: "1", generation: 2 });

Deno.test("a plan is current while the cluster has its object unchanged", async (test) => {
  const cases: Record<
    string,
    { known?: KubernetesObject; get: () => Promise<KubernetesObject | undefined>; want: boolean }
  > = {
    "unchanged": { known: KNOWN, get: () => Promise.resolve(KNOWN), want: true },
    "deleted": { known: KNOWN, get: () => Promise.resolve(undefined), want: false },
    "being deleted": {
      known: KNOWN,
      get: () => Promise.resolve(api({ ...KNOWN.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" })),
      want: false,
    },
    "changed": { known: KNOWN, get: () => Promise.resolve(api({ uid: "1", generation: 3 })), want: false },
    "made anew": { known: KNOWN, get: () => Promise.resolve(api({ uid: "2", generation: 2 })), want: false },
    "deleted for the informer too": { get: () => Promise.resolve(undefined), want: false },
    "unknown, because the API server can't be asked": {
      known: KNOWN,
      get: () => Promise.reject(new Error("unreachable")),
      want: true,
    },
  };
  const fleet = { namespace: "shop", name: "edge" };
  const document = await parseDocument("openapi: 3.1.0\ninfo: {title: Todo, version: 1.0.0}\npaths: {}\n");
  const plan = planRoutes({ namespace: "shop", name: "todo", fleet, document });
  for (const [name, { known, get, want }] of Object.entries(cases)) {
    await test.step(name, async () => {
      const informer = { get: () => known };
      const resources = { api: informer, fleet: informer, staticroute: informer };
      assert.equal(await isCurrentPlan(plan, { client: { get }, resources }), want);
    });
  }
});

function api(metadata: Partial<ObjectMeta>): KubernetesObject {
  return { apiVersion: API_VERSION, kind: "API", metadata: { namespace: "shop", name: "todo", ...metadata } };
}
