/** `allowedNamespaces` of fleets: which APIs the controller accepts, and what happens to the routes of others. */
import assert from "node:assert/strict";
import { ENVOY_PROXY, GATEWAY, RESOURCE_TYPES } from "../../../../cmd/cluster/controller/kinds.ts";
import type { ResourceType } from "../../../../cmd/cluster/client.ts";
import { createInformer } from "../../../../cmd/cluster/informer.ts";
import type { AllowedNamespaces } from "../../../../lib/gateway/allowed_namespaces.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { todoThatAnswers } from "../../definitions.ts";
import { apiOf, conditionOf, fleetOf, messageOf, startController } from "../../../cluster/support/controller.ts";
import { startFakeGateway } from "../../../cluster/support/fake_gateway.ts";
import { until } from "../../../cluster/support/until.ts";
import { createFakeCluster, type FakeCluster } from "../fake_client.ts";
import { createFakeInformer } from "../fake_informer.ts";

const TEAM_A: AllowedNamespaces = { from: "Selector", selector: { matchLabels: { team: "a" } } };
const PROTECTED = `openapi: 3.1.0
info: {title: Secrets, version: 1.0.0}
x-svc: {upstream: {service: {name: secrets}}, auth: {custom: {service: {name: guard}}}}
paths:
  /secret: {get: {responses: {"204": {description: None.}}}}
`;

/** A fake cluster with a controller, and the fleet `edge/edge` with the given `allowedNamespaces`. */
async function startSetup(allowedNamespaces?: AllowedNamespaces) {
  const cluster: FakeCluster = createFakeCluster();
  const { client } = cluster;
  const gateway = startFakeGateway(client);
  const resources = {
    api: createInformer(client, RESOURCE_TYPES.api),
    fleet: createInformer(client, RESOURCE_TYPES.fleet),
    staticroute: createInformer(client, RESOURCE_TYPES.staticroute),
  };
  const namespaces = createFakeInformer();
  namespaces.set(...["edge", "shop", "bank"].map((name) => namespaceOf(name)));
  namespaces.sync();
  await client.apply(RESOURCE_TYPES.fleet, fleetThatAdmits(allowedNamespaces));
  const running = startController({ client, resources }, { settleTime: 50, namespaces });
  return {
    cluster,
    running,
    admit: async (allowed?: AllowedNamespaces) =>
      void await client.apply(RESOURCE_TYPES.fleet, fleetThatAdmits(allowed)),
    label: (name: string, labels: Record<string, string>) => namespaces.set(namespaceOf(name, labels)),
    deploy: async (object: KubernetesObject) => void await client.apply(RESOURCE_TYPES.api, object),
    says: (name: string, type = "Accepted") => conditionOf(cluster.find("API", name), type),
    fleetSays: (type: string) => conditionOf(cluster.find("Fleet", "edge"), type),
    routes: (namespace = "shop") =>
      cluster.list("HTTPRoute").filter(({ metadata }) => metadata.namespace === namespace)
        .map(({ metadata: { name } }) => name).sort(),
    listeners: () => {
      const { listeners = [] } = Object(cluster.find("Gateway", "edge")?.spec);
      return listeners.map(({ allowedRoutes }: { allowedRoutes: { namespaces: unknown } }) => allowedRoutes.namespaces);
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      gateway[Symbol.dispose]();
      for (const informer of Object.values(resources)) informer.stop();
    },
  };
}

function fleetThatAdmits(allowedNamespaces?: AllowedNamespaces): KubernetesObject {
  const service = { ports: [{ name: "http", port: 80 }] };
  return fleetOf({ service, ...(allowedNamespaces === undefined ? {} : { allowedNamespaces }) });
}

function namespaceOf(name: string, labels: Record<string, string> = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

Deno.test("A fleet that says nothing of namespaces is open to all, and its condition says so", async () => {
  await using setup = await startSetup();
  await setup.deploy(apiOf("todo", todoThatAnswers("x")));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await until(() => setup.fleetSays("OpenToAllNamespaces") === "True NotSpecified");
  assert.deepEqual(setup.listeners(), [{ from: "All" }]);
  await setup.admit({ from: "All" });
  await until(() => setup.fleetSays("OpenToAllNamespaces") === "True AllNamespaces");
});

Deno.test("An API of a namespace that its fleet doesn't admit has no routes, and says why", async () => {
  await using setup = await startSetup({ from: "Same" });
  await setup.deploy(apiOf("todo", todoThatAnswers("x")));
  await setup.deploy(apiOf("own", todoThatAnswers("x").replaceAll("/todos", "/own"), "edge"));
  await until(() => setup.says("todo") === "False NotAllowedByFleet");
  await until(() => setup.says("own", "Programmed") === "True Programmed");
  assert.match(messageOf(setup.cluster.find("API", "todo"), "Accepted"), /^The fleet edge\/edge doesn't admit .* shop/);
  assert.deepEqual(setup.listeners(), [{ from: "Same" }]);
  await until(() => Object(setup.cluster.find("Fleet", "edge")?.status).apis === 1);
  // There is no route for request validation either, since no accepted API needs it.
  assert.deepEqual(setup.routes(), []);
  assert.equal(setup.fleetSays("OpenToAllNamespaces"), undefined);
  assert.equal(setup.running.controller.plansOf({ namespace: "edge", name: "edge" }).length, 1);
});

Deno.test("Labels of a namespace count as soon as they change", async () => {
  await using setup = await startSetup(TEAM_A);
  await setup.deploy(apiOf("todo", todoThatAnswers("x")));
  await until(() => setup.says("todo") === "False NotAllowedByFleet");
  setup.label("shop", { team: "a" });
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  assert.ok(setup.routes().length > 0);
  assert.deepEqual(setup.listeners(), [TEAM_A]);
  setup.label("shop", { team: "b" });
  await until(() => setup.says("todo") === "False NotAllowedByFleet");
  assert.equal(setup.says("todo", "Programmed"), "False NotAccepted");
  assert.deepEqual(setup.routes().filter((name) => name.startsWith("todo")), []);
});

Deno.test("An API that isn't admitted holds no path", async () => {
  await using setup = await startSetup(TEAM_A);
  setup.label("bank", { team: "a" });
  await setup.deploy(apiOf("older", todoThatAnswers("x")));
  await until(() => setup.says("older") === "False NotAllowedByFleet");
  await setup.deploy(apiOf("younger", todoThatAnswers("x"), "bank"));
  await until(() => setup.says("younger", "Programmed") === "True Programmed");
  // When the fleet allows its namespace, the older API takes the path from the younger one.
  setup.label("shop", { team: "a" });
  await until(() => setup.says("older", "Programmed") === "True Programmed");
  await until(() => setup.says("younger") === "False Conflicted");
  setup.label("shop", {});
  await until(() => setup.says("younger", "Programmed") === "True Programmed");
});

Deno.test("An edit that wants to a fleet that doesn't admit it leaves an API on its fleet", async () => {
  await using setup = await startSetup({ from: "All" });
  await setup.cluster.client.apply(RESOURCE_TYPES.fleet, {
    ...fleetThatAdmits({ from: "Same" }),
    metadata: { namespace: "edge", name: "closed" },
  });
  await setup.deploy(apiOf("todo", todoThatAnswers("x")));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  const api = apiOf("todo", todoThatAnswers("y"));
  await setup.deploy({ ...api, spec: { ...Object(api.spec), fleet: { namespace: "edge", name: "closed" } } });
  await until(() => setup.says("todo") === "False NotAllowedByFleet");
  assert.match(messageOf(setup.cluster.find("API", "todo"), "Accepted"), /What was deployed before stays in force\.$/);
  const parents = setup.cluster.list("HTTPRoute").filter(({ metadata }) => metadata.name.startsWith("todo"))
    .flatMap(({ spec }) => Object(spec).parentRefs.map(({ name }: { name: string }) => name));
  assert.deepEqual([...new Set(parents)], ["edge"]);
  // `allowedNamespaces` may exclude the fleet's own namespace too.
  await setup.admit({ from: "Same" });
  await until(() => setup.routes().filter((name) => name.startsWith("todo")).length === 0);
});

Deno.test("Protected routes of a namespace that is admitted no longer are closed before they go", async () => {
  await using setup = await startSetup(TEAM_A);
  setup.label("shop", { team: "a" });
  // Use a fleet on an existing Gateway: its drain time is shorter than that of a Gateway which gw makes.
  const at = (type: ResourceType, spec: unknown): KubernetesObject => (
    { apiVersion: type.apiVersion, kind: type.kind, metadata: { namespace: "edge", name: "other" }, spec }
  );
  const parametersRef = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "other" };
  const { client } = setup.cluster;
  await client.create(ENVOY_PROXY, at(ENVOY_PROXY, { shutdown: { drainTimeout: "200ms" } }));
  await client.create(GATEWAY, at(GATEWAY, { gatewayClassName: "eg", infrastructure: { parametersRef } }));
  await client.apply(RESOURCE_TYPES.fleet, fleetOf({ gateway: { name: "other" }, allowedNamespaces: TEAM_A }));
  await setup.deploy(apiOf("secrets", PROTECTED));
  await until(() => setup.says("secrets", "Programmed") === "True Programmed");
  setup.running.takeWrites();
  setup.label("shop", {});
  await until(() => setup.says("secrets") === "False NotAllowedByFleet");
  const writes = setup.running.takeWrites().filter((write) => / (HTTPRoute|SecurityPolicy) shop\/secrets/.test(write));
  const firstOf = (verb: string, kind: string) => writes.findIndex((write) => write.startsWith(`${verb} ${kind}`));
  const [closed, gone, unprotected] = [
    firstOf("replace", "HTTPRoute"),
    firstOf("delete", "HTTPRoute"),
    firstOf("delete", "SecurityPolicy"),
  ];
  assert.ok(closed >= 0 && closed < gone && gone < unprotected, writes.join("\n"));
});
