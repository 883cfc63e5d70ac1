/**
 * Statuses of the gateway: of another controller, late, or never written.
 *
 * @module
 */
import assert from "node:assert/strict";
import { GATEWAY_CLASS, HTTP_ROUTE, SECURITY_POLICY } from "../../../../cmd/cluster/controller/kinds.ts";
import { REPORT_DEADLINE } from "../../../../lib/cluster/protection/protection.ts";
import { CLOSED } from "../../../../lib/cluster/protection/protected_objects.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { messageOf } from "../../../cluster/support/controller.ts";
import { until } from "../../../cluster/support/until.ts";
import { backendsOf, createSetup, CUSTOM, definition, reconcileAll, type Setup, start } from "./setup.ts";

/** The controller name of the fake gateway. */
const OURS = "test.x-svc.io/gateway";
const THEIRS = "old.example.com/controller";

/** Adds an entry of another controller to each status of routes and policies that the gateway writes. */
function addEntries({ client }: Setup, conditionOf: (object: KubernetesObject) => JsonObject): void {
  const { applyStatus } = client;
  client.applyStatus = (type, object, options) => {
    const status: JsonObject = Object(object.status);
    for (const key of ["parents", "ancestors"]) {
      const entries = status[key];
      if (![HTTP_ROUTE.kind, SECURITY_POLICY.kind].includes(type.kind) || !Array.isArray(entries)) continue;
      const other = { ...entries[0], controllerName: THEIRS, conditions: [{ ...conditionOf(object) }] };
      return applyStatus(type, { ...object, status: { ...status, [key]: [...entries, other] } }, options);
    }
    return applyStatus(type, object, options);
  };
}

function condition(status: string, observedGeneration: unknown): JsonObject {
  return { type: "Accepted", status, reason: "Other", message: "Said by another.", observedGeneration };
}

Deno.test("Statuses of other controllers don't keep a protected operation closed", async (t) => {
  const generationOf = (object: KubernetesObject): unknown =>
    Object(object.status).parents?.[0].conditions[0]
      .observedGeneration ?? Object(object.status).ancestors?.[0].conditions[0].observedGeneration;
  const cases: { name: string; hasClass: boolean; conditionOf: (object: KubernetesObject) => JsonObject }[] = [
    { name: "one that is gone", hasClass: true, conditionOf: () => condition("True", 0) },
    {
      name: "one that is gone, of a GatewayClass that is gone",
      hasClass: false,
      conditionOf: () => condition("True", 0),
    },
    { name: "one that refuses", hasClass: true, conditionOf: (object) => condition("False", generationOf(object)) },
  ];
  for (const { name, hasClass, conditionOf } of cases) {
    await t.step(name, async () => {
      using setup = await createSetup();
      if (hasClass) {
        const { apiVersion, kind } = GATEWAY_CLASS;
        const object = { apiVersion, kind, metadata: { name: "eg" }, spec: { controllerName: OURS } };
        await setup.client.create(GATEWAY_CLASS, object);
      }
      addEntries(setup, conditionOf);
      await using _running = start(setup);
      await setup.deploy("todo", definition("{}"));
      await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 600_000 });
      await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
      await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 600_000 });
      assert.deepEqual(backendsOf(setup.routes("todo").get("open")), ["secrets"]);
    });
  }
});

Deno.test("An API says when the gateway never reports about its protected operations", async (t) => {
  const cases = {
    "an operation that gets auth": `{auth: ${CUSTOM}}`,
    "an operation whose requests get validated": "{validation: {request: {enabled: true}}}",
  };
  for (const [name, settings] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      await using _running = start(setup);
      await setup.deploy("todo", definition("{}"));
      await until(() => setup.says("todo", "Programmed") === "True Programmed");
      setup.gateway.setSilent(true);
      await setup.deploy("todo", definition(settings));
      const from = performance.now();
      await until(() => setup.says("todo", "Programmed") === "False GatewayNotReporting", { within: 600_000 });
      assert.ok(performance.now() - from >= REPORT_DEADLINE);
      assert.match(messageOf(setup.cluster.find("API", "todo"), "Programmed"), /See whether Envoy Gateway runs/);
      const told = setup.cluster.list("Event").filter(({ reason, type }) =>
        reason === "GatewayNotReporting" && type === "Warning"
      );
      assert.equal(told.length, 1);
      // The operation isn't open without its protection.
      assert.deepEqual(backendsOf(setup.routes("todo").get(CLOSED)), ["gw-mock"]);
      assert.ok(!setup.routes("todo").has("open"));

      setup.gateway.setSilent(false);
      await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 600_000 });
    });
  }
});

Deno.test("Edits that leave auth as it is are served while the gateway reports nothing", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.gateway.setSilent(true);
  const states = new Set<string>();
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}, upstream: {service: {name: others}}}`));
  await until(() => {
    for (const state of setup.routes("todo").keys()) states.add(state);
    return backendsOf(setup.routes("todo").get("open")).includes("others");
  }, { within: 600_000 });
  assert.deepEqual([...states].sort(), ["", "open"]);
});

Deno.test("An edit of the kind of auth that is taken back is served again, though the gateway reports nothing", async (t) => {
  const jwt = "{jwt: {providers: [{name: id, jwks_uri: 'https://id.example.com/keys'}]}}";
  const edits = { "another kind": `{auth: ${jwt}}`, "no auth": "{}" };
  for (const [name, settings] of Object.entries(edits)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      await using _running = start(setup);
      await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
      await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 600_000 });
      setup.gateway.setSilent(true);
      await setup.deploy("todo", definition(settings));
      if (name === "another kind") {
        await until(() => setup.says("todo", "Programmed") === "False GatewayNotReporting", { within: 600_000 });
        assert.ok(setup.routes("todo").has(CLOSED));
      } else await reconcileAll(setup);
      await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
      await until(() => backendsOf(setup.routes("todo").get("open")).includes("secrets"), { within: 10_000 });
      assert.ok(!setup.routes("todo").has(CLOSED));
    });
  }
});

Deno.test("An edit of auth that is taken back stays closed if its policy was written", async () => {
  const jwt = "{jwt: {providers: [{name: id, jwks_uri: 'https://id.example.com/keys'}]}}";
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 600_000 });
  await setup.deploy("todo", definition(`{auth: ${jwt}}`));
  await until(() => Object(setup.cluster.list("SecurityPolicy")[0]?.spec).jwt !== undefined, { within: 600_000 });
  setup.gateway.setSilent(true);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => setup.says("todo", "Programmed") === "False GatewayNotReporting", { within: 600_000 });
  assert.ok(!setup.routes("todo").has("open"));
});
