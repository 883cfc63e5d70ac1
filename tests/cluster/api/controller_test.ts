import assert from "node:assert/strict";
import { EVENT, HTTP_ROUTE, OWNED_TYPES, RESOURCE_TYPES } from "../../../cmd/cluster/controller/kinds.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import { startApiServer } from "../support/api_server.ts";
import { apiOf, conditionOf, fleetOf, messageOf, startController } from "../support/controller.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { until } from "../support/until.ts";
import { createVirtualCluster, type VirtualCluster } from "../support/virtual_cluster.ts";

const TODO = `
openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {path: {prefix: /v1}, upstream: {service: {name: todo}}}
paths:
  /todos:
    post: {responses: {"201": {description: Made.}}}
  /todos/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      x-svc: {mocking: {enabled: true}}
      responses: {"200": {description: One., content: {application/json: {schema: {}, example: {id: 1}}}}}
    delete:
      x-svc: {disabled: true}
      responses: {"204": {description: Gone.}}
`;

/** A definition with one operation. */
function definition(path: string, action = "{upstream: {service: {name: todo}}}"): string {
  return [
    "openapi: 3.1.0",
    `info: {title: ${path}, version: 1.0.0}`,
    `x-svc: ${action}`,
    "paths:",
    `  ${path}:`,
    `    get: {responses: {"204": {description: None.}}}`,
  ].join("\n");
}

/** All objects that gw has made in the cluster. */
async function madeIn({ client }: VirtualCluster): Promise<KubernetesObject[]> {
  const labelSelector = `${LABELS.managedBy}=${FIELD_MANAGER}`;
  return (await Promise.all(OWNED_TYPES.map((type) => client.list(type, "", { labelSelector })))).flatMap(({ items }) =>
    items
  );
}

function apiNamed({ client }: VirtualCluster, name: string): Promise<KubernetesObject | undefined> {
  return client.get(RESOURCE_TYPES.api, "shop", name);
}

async function untilSays(cluster: VirtualCluster, name: string, type: string, want: string): Promise<KubernetesObject> {
  let last: KubernetesObject | undefined;
  return await until(async () => {
    last = await apiNamed(cluster, name);
    return conditionOf(last, type) === want && last;
  }, { what: () => `${type} ${want} of ${name}; it says ${JSON.stringify(last?.status)}` });
}

Deno.test("The controller deploys APIs to a fleet, restores changed objects, and deletes all of them at the end", async (t) => {
  await using api = await startApiServer();
  await using cluster = await createVirtualCluster(api);
  using _gateway = startFakeGateway(cluster.client);
  let running = startController(cluster);
  const { client } = cluster;
  try {
    await t.step("an API has its routes when it says Programmed", async () => {
      await client.apply(RESOURCE_TYPES.fleet, fleetOf());
      await client.apply(RESOURCE_TYPES.api, apiOf("todo", TODO));
      const { status } = await untilSays(cluster, "todo", "Programmed", "True Programmed");
      const { operations, routes } = Object(status);
      assert.deepEqual(operations, { mocked: 1, proxied: 1, disabled: 1 });
      const made = await client.list(HTTP_ROUTE, "shop", { labelSelector: `${LABELS.api}=todo` });
      assert.deepEqual(routes.toSorted(), made.items.map(({ metadata }) => metadata.name).sort());
      assert.deepEqual(running.complaints, []);
    });

    await t.step("a fleet tells its addresses and counts", async () => {
      const fleet = await until(async () => {
        const fleet = await client.get(RESOURCE_TYPES.fleet, "edge", "edge");
        return conditionOf(fleet, "Programmed")?.startsWith("True") && Object(fleet?.status).apis === 1 && fleet;
      });
      assert.deepEqual(Object(fleet.status).addresses, [{ type: "IPAddress", value: "192.0.2.1" }]);
    });

    await t.step("transitions are told by Events", async () => {
      const { items } = await until(async () => {
        const list = await client.list(EVENT, "shop");
        return list.items.some(({ reason }) => reason === "Programmed") && list;
      });
      const regarding = items.map((event) => Object(event["regarding"]));
      assert.ok(regarding.every(({ kind, name }) => kind === "API" && name === "todo"));
    });

    await t.step("nothing is written while nothing changes, after a restart neither", async () => {
      running.takeWrites();
      await running.stop();
      running = startController(cluster);
      await until(() => running.controller.isLeader && running.controller.isReady);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.deepEqual(running.takeWrites(), []);
    });

    await t.step("changes of others in its objects are undone", async () => {
      const [route] = (await client.list(HTTP_ROUTE, "shop", { labelSelector: `${LABELS.api}=todo` })).items;
      assert.ok(route);
      const { namespace = "", name } = route.metadata;
      const change = { spec: { hostnames: ["changed.example.com"] } };
      await client.patch(HTTP_ROUTE, namespace, name, change, { fieldManager: "somebody" });
      await until(async () =>
        !JSON.stringify(await client.get(HTTP_ROUTE, namespace, name)).includes("changed.example")
      );
      await client.delete(HTTP_ROUTE, namespace, name);
      await until(async () => await client.get(HTTP_ROUTE, namespace, name) !== undefined);
      await untilSays(cluster, "todo", "Programmed", "True Programmed");
    });

    await t.step("a definition that can't be deployed is refused with its place, and the routes stay", async () => {
      const before = await client.list(HTTP_ROUTE, "shop");
      await client.apply(RESOURCE_TYPES.api, apiOf("todo", TODO.replace("enabled: true", "enabled: maybe")));
      const refused = await untilSays(cluster, "todo", "Accepted", "False Invalid");
      assert.match(messageOf(refused, "Accepted"), /\d+:\d+: \/paths\/~1todos~1\{id\}\/get\/x-svc\/mocking\/enabled/);
      const after = await client.list(HTTP_ROUTE, "shop");
      assert.deepEqual(after.items.map(({ spec }) => spec), before.items.map(({ spec }) => spec));
      await client.apply(RESOURCE_TYPES.api, apiOf("todo", TODO));
      await untilSays(cluster, "todo", "Accepted", "True Accepted");
    });

    await t.step("of two APIs with the same path the older one has it, and the other when it is gone", async () => {
      await client.apply(RESOURCE_TYPES.api, apiOf("first", definition("/a")));
      await untilSays(cluster, "first", "Programmed", "True Programmed");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await client.apply(RESOURCE_TYPES.api, apiOf("second", definition("/a")));
      const refused = await untilSays(cluster, "second", "Accepted", "False Conflicted");
      assert.match(messageOf(refused, "Accepted"), /GET \/a is taken by the API shop\/first on the fleet edge\/edge/);
      await client.delete(RESOURCE_TYPES.api, "shop", "first");
      await untilSays(cluster, "second", "Programmed", "True Programmed");
      assert.equal(await apiNamed(cluster, "first"), undefined);
      await client.delete(RESOURCE_TYPES.api, "shop", "second");
    });

    await t.step("an API of a fleet that isn't there says so, and is deployed when it is", async () => {
      const lost = apiOf("lost", definition("/lost"));
      await client.apply(RESOURCE_TYPES.api, {
        ...lost,
        spec: { ...Object(lost.spec), fleet: { namespace: "edge", name: "new" } },
      });
      await untilSays(cluster, "lost", "Accepted", "False FleetNotFound");
      const fleet = fleetOf();
      await client.apply(RESOURCE_TYPES.fleet, { ...fleet, metadata: { namespace: "edge", name: "new" } });
      await untilSays(cluster, "lost", "Programmed", "True Programmed");
      await client.delete(RESOURCE_TYPES.api, "shop", "lost");
      await client.delete(RESOURCE_TYPES.fleet, "edge", "new");
    });

    await t.step("an object of the same name that gw does not own is left alone", async () => {
      await client.apply(RESOURCE_TYPES.api, apiOf("mine", definition("/mine")));
      await untilSays(cluster, "mine", "Programmed", "True Programmed");
      const [route] = Object((await apiNamed(cluster, "mine"))?.status).routes;
      await client.delete(RESOURCE_TYPES.api, "shop", "mine");
      await until(async () => await apiNamed(cluster, "mine") === undefined);
      const { apiVersion, kind } = HTTP_ROUTE;
      const theirs = {
        apiVersion,
        kind,
        metadata: { namespace: "shop", name: route },
        spec: { hostnames: ["their.example.com"] },
      };
      await client.create(HTTP_ROUTE, theirs, { fieldManager: "somebody" });
      await client.apply(RESOURCE_TYPES.api, apiOf("mine", definition("/mine")));
      const refused = await untilSays(cluster, "mine", "Programmed", "False NotWritten");
      assert.match(messageOf(refused, "Programmed"), /which gw has not made/);
      assert.deepEqual(Object((await client.get(HTTP_ROUTE, "shop", route))?.spec).hostnames, ["their.example.com"]);
      await client.delete(HTTP_ROUTE, "shop", route);
      await client.delete(RESOURCE_TYPES.api, "shop", "mine");
    });

    await t.step("deletion leaves nothing behind", async () => {
      await client.delete(RESOURCE_TYPES.api, "shop", "todo");
      await until(async () => await apiNamed(cluster, "todo") === undefined);
      await client.delete(RESOURCE_TYPES.fleet, "edge", "edge");
      await until(async () => (await madeIn(cluster)).length === 0, { what: "no object of gw" });
    });
  } finally {
    await running.stop();
  }
});

Deno.test("An object that is made again under a name has a generation that none of its predecessors had", async () => {
  await using api = await startApiServer();
  await using cluster = await createVirtualCluster(api);
  using _gateway = startFakeGateway(cluster.client);
  await using _controller = startController(cluster);
  const { client } = cluster;
  const limited = definition(
    "/limited",
    "{upstream: {service: {name: todo}}, rate_limit: {requests_per_unit: 5, unit: minute}}",
  );
  const guarded = definition(
    "/guarded",
    "{upstream: {service: {name: todo}}, auth: {custom: {service: {name: authz}}}}",
  );
  const kinds = ["BackendTrafficPolicy", "ClientTrafficPolicy", "Gateway", "HTTPRoute", "SecurityPolicy"];
  const seen = new Set<string>();
  for (let round = 0; round < 3; round++) {
    await client.apply(RESOURCE_TYPES.fleet, fleetOf());
    await client.apply(RESOURCE_TYPES.api, apiOf("limited", limited));
    await client.apply(RESOURCE_TYPES.api, apiOf("guarded", guarded));
    for (const name of ["limited", "guarded"]) await untilSays(cluster, name, "Programmed", "True Programmed");
    const objects = (await madeIn(cluster)).filter(({ kind }) => kinds.includes(kind));
    assert.deepEqual([...new Set(objects.map(({ kind }) => kind))].sort(), kinds);
    for (const { kind, metadata: { name, generation } } of objects) {
      // Its route is written twice, closed and open, so two rounds may see the same generation.
      if (kind === "HTTPRoute" && name.startsWith("guarded")) continue;
      const one = `${kind} ${name}, generation ${generation}`;
      assert(!seen.has(one), `${one} in round ${round}`);
      seen.add(one);
    }
    for (const name of ["limited", "guarded"]) await client.delete(RESOURCE_TYPES.api, "shop", name);
    await client.delete(RESOURCE_TYPES.fleet, "edge", "edge");
    await until(async () => (await madeIn(cluster)).length === 0, { what: "no object of gw" });
    // Wait until finalizers are removed. An object that is applied before would be deleted too.
    const isFree = async () =>
      await client.get(RESOURCE_TYPES.fleet, "edge", "edge") === undefined &&
      (await client.list(RESOURCE_TYPES.api, "shop")).items.length === 0;
    await until(isFree, { what: "no fleet and no API" });
  }
});

Deno.test("One of two controllers acts; the other goes on when it stops", async () => {
  await using api = await startApiServer();
  await using cluster = await createVirtualCluster(api);
  using _gateway = startFakeGateway(cluster.client);
  const { client } = cluster;
  await using first = startController(cluster);
  await until(() => first.controller.isLeader);
  await using second = startController(cluster);
  await client.apply(RESOURCE_TYPES.fleet, fleetOf());
  await client.apply(RESOURCE_TYPES.api, apiOf("todo", TODO));
  await untilSays(cluster, "todo", "Programmed", "True Programmed");
  assert.equal(second.controller.isLeader, false);
  assert.deepEqual(second.takeWrites(), []);
  assert.equal(second.controller.plansOf({ namespace: "edge", name: "edge" }).length, 1);

  await first.stop();
  await until(() => second.controller.isLeader);
  await client.apply(RESOURCE_TYPES.api, apiOf("next", definition("/next")));
  await untilSays(cluster, "next", "Programmed", "True Programmed");
});

Deno.test("A controller continues by itself after the API server was unreachable", async () => {
  await using api = await startApiServer({ own: true });
  await using cluster = await createVirtualCluster(api);
  const gateway = startFakeGateway(cluster.client);
  const { client } = cluster;
  await using running = startController(cluster);
  await client.apply(RESOURCE_TYPES.fleet, fleetOf());
  await client.apply(RESOURCE_TYPES.api, apiOf("todo", TODO));
  await untilSays(cluster, "todo", "Programmed", "True Programmed");
  await api.stop();
  await until(() => !running.controller.isLeader);
  await api.start();
  await until(async () => await client.apply(RESOURCE_TYPES.api, apiOf("next", definition("/next"))) !== undefined);
  await until(async () => conditionOf(await apiNamed(cluster, "next"), "Programmed") === "True Programmed", {
    within: 60_000,
  });
  assert.ok(running.complaints.length > 0 && running.complaints.length < 20, running.complaints.join("\n"));
  gateway[Symbol.dispose]();
});
