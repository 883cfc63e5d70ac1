import assert from "node:assert/strict";
import { planRoutes, planStaticRoute } from "../../../lib/gateway/plan_routes.ts";
import { acceptedState, isRevisionOf, revisionOf } from "../../../lib/cluster/accepted_revision.ts";
import { definitionOf } from "../../../lib/cluster/definition_text.ts";
import { isApiObject } from "../../../lib/cluster/convert.ts";
import { type ApiObject, CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import type { StatusCondition } from "../../../lib/cluster/object.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const FLEET = { namespace: "edge", name: "edge" };
const SMALL =
  "openapi: 3.1.0\ninfo: {title: Todo, version: 1.0.0}\nx-svc: {upstream: {service: {name: todo}}}\npaths: {}\n";

/** An API whose current generation is 4, with the given status. */
function api(status?: ApiObject["status"]): ApiObject {
  const { apiVersion, kind } = CUSTOM_RESOURCES.api;
  const metadata = { namespace: "shop", name: "todo", uid: "1", generation: 4 };
  return { apiVersion, kind, metadata, spec: { openapi: "refused" }, ...(status === undefined ? {} : { status }) };
}

function says(status: "True" | "False", observedGeneration: number): ApiObject["status"] {
  const condition: StatusCondition = { type: "Accepted", status, reason: "Test", message: "", observedGeneration };
  return { conditions: [condition] };
}

for (const [name, text] of Object.entries({ small: SMALL, large: `${SMALL}# ${"x".repeat(400_000)}\n` })) {
  Deno.test(`acceptedState() reads what revisionOf() has written: a ${name} definition`, async () => {
    const plan = planRoutes({ namespace: "shop", name: "todo", fleet: FLEET, document: await parseDocument(text) });
    const revision = await revisionOf(api(), { plan, generation: 3 });
    assert.deepEqual([revision.metadata.name, revision["revision"]], ["gw-api.todo", 3]);
    assert.ok(JSON.stringify(revision).length < 10_000);
    const state = acceptedState(revision, api(says("False", 4)));
    assert.ok(state !== undefined && isApiObject(state));
    assert.deepEqual([state.metadata.generation, state.spec.fleet, state.status], [3, FLEET, undefined]);
    assert.equal(await definitionOf(state), text);
    assert.ok(isRevisionOf(revision, api(), 3));
    assert.ok(!isRevisionOf(revision, api(), 2));
  });
}

Deno.test("a static route has a revision of its own", async () => {
  const plan = planStaticRoute({ namespace: "shop", name: "todo", fleet: FLEET, document: await parseDocument(SMALL) });
  const { apiVersion, kind } = CUSTOM_RESOURCES.staticroute;
  const revision = await revisionOf({ ...api(), apiVersion, kind, spec: {} }, { plan, generation: 3 });
  assert.equal(revision.metadata.name, "gw-staticroute.todo");
  assert.deepEqual(Object(revision["data"]).spec.upstream, { service: { name: "todo" } });
});

const cases = [
  {
    name: "of another object of its name",
    object: { ...api(), metadata: { ...api().metadata, uid: "2" } },
    want: false,
  },
  { name: "while a refusal is said", object: api(says("False", 4)), want: true },
  { name: "while a refusal isn't said yet", object: api(says("True", 3)), want: true },
  { name: "older than what was accepted since", object: api(says("True", 2)), want: false },
];
for (const { name, object, want } of cases) {
  Deno.test(`a revision ${name} counts ${want ? "" : "not"}`, async () => {
    const plan = planRoutes({ namespace: "shop", name: "todo", fleet: FLEET, document: await parseDocument(SMALL) });
    const revision = await revisionOf(api(), { plan, generation: 3 });
    assert.equal(acceptedState(revision, object) !== undefined, want);
  });
}
