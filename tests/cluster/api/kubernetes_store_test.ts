/**
 * Behaviour of the Kubernetes store beyond the contract of every store.
 *
 * @module
 */
import assert from "node:assert/strict";
import { KubeError, type ResourceType } from "../../../cmd/cluster/client.ts";
import { createKubernetesStore } from "../../../cmd/cluster/kubernetes_store.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import type { AnyResource } from "../../../lib/gateway/resource.ts";
import type { Store } from "../../../lib/management/store.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";
import { definition, fleet, serve } from "../../lib/management/server.ts";
import { startApiServer } from "../support/api_server.ts";
import { until } from "../support/until.ts";
import { createVirtualCluster, type VirtualCluster } from "../support/virtual_cluster.ts";

const { api: API, fleet: FLEET, staticroute: STATIC_ROUTE } = CUSTOM_RESOURCES;
const SERVICE = { type: "ClusterIP", ports: [{ port: 80 }] };

/** Declares a test with a virtual cluster and a store in it. */
function inCluster(name: string, test: (cluster: VirtualCluster, store: Store) => Promise<void>): void {
  Deno.test(`the Kubernetes store ${name}`, async () => {
    await using server = await startApiServer();
    await using cluster = await createVirtualCluster(server);
    await test(cluster, createKubernetesStore(cluster));
  });
}

inCluster("leaves what others have written into an object", async ({ client }, store) => {
  await store.apply([{ kind: "create", resource: api("todo") }]);
  const metadata = { name: "todo", namespace: "default", labels: { team: "a" }, annotations: { note: "b" } };
  await client.apply(API, { ...kindOf(API), metadata, spec: {} }, { fieldManager: "jane" });
  await store.apply([{ kind: "update", resource: api("todo", "2.0.0") }]);
  const { metadata: after, spec } = await present(client.get(API, "default", "todo"));
  assert.deepEqual([after.labels, after.annotations], [{ team: "a" }, { note: "b" }]);
  assert.match(String(Object(spec).openapi), /version: 2\.0\.0/);
});

inCluster("keeps the settings of a fleet that the management API knows nothing of", async ({ client }, store) => {
  const metadata = { name: "edge", namespace: "default" };
  const spec = {
    default: true,
    replicas: 3,
    service: { type: "LoadBalancer", annotations: { a: "b" }, ports: [{ port: 80 }] },
  };
  await client.create(FLEET, { ...kindOf(FLEET), metadata, spec }, { fieldManager: "kubectl" });
  await until(() => store.get("fleet", "default", "edge"));
  const resource = { ...fleet("edge", 8080), spec: { ...fleet("edge", 8080).spec, serviceType: "ClusterIP" as const } };
  await store.apply([{ kind: "update", resource }]);
  const after = Object((await present(client.get(FLEET, "default", "edge"))).spec);
  assert.deepEqual([after.default, after.replicas, after.service.type], [true, 3, "ClusterIP"]);
  assert.deepEqual(after.service.annotations, { a: "b" });
  assert.deepEqual(after.service.ports.map(({ port }: { port: number }) => port), [8080]);
});

inCluster("puts a large definition in the place of what kubectl has written, and back", async ({ client }, store) => {
  const metadata = { name: "todo", namespace: "default" };
  await client.create(API, { ...kindOf(API), metadata, spec: { openapi: definition() } }, { fieldManager: "kubectl" });
  await until(() => store.get("api", "default", "todo"));
  const large = `${definition()}# ${"x".repeat(300_000)}\n`;
  for (const openapi of [large, definition({ version: "3.0.0" }), large]) {
    await store.apply([{ kind: "update", resource: withText(api("todo"), openapi) }]);
    assert.equal((await store.get("api", "default", "todo"))?.spec.openapi, openapi);
  }
  const { spec } = await present(client.get(API, "default", "todo"));
  assert.deepEqual(Object.keys(Object(spec)).sort(), ["fleet", "openapiGzip"]);
});

inCluster("shows what kubectl has written as what it has written itself", async ({ client }, store) => {
  const metadata = { namespace: "shop", name: "todo" };
  const xSvc = "{upstream: {service: {name: web}}}";
  await client.create(FLEET, {
    ...kindOf(FLEET),
    metadata: { namespace: "infra", name: "edge" },
    spec: { default: true, service: SERVICE },
  });
  await client.create(API, { ...kindOf(API), metadata, spec: { openapi: definition({ xSvc, version: "1.0" }) } });
  const upstream = { service: { name: "rest", port: 8080 } };
  await client.create(STATIC_ROUTE, {
    ...kindOf(STATIC_ROUTE),
    metadata: { ...metadata, name: "rest" },
    spec: { upstream },
  });
  const found = await until(() => store.get("api", "shop", "todo"));
  assert.deepEqual(found.spec.fleet, { namespace: "infra", name: "edge" });
  assert.equal(found.spec.summary.version, "1.0");
  assert.deepEqual(found.spec.summary.service, { namespace: "shop", name: "web" });
  const route = await until(() => store.get("staticroute", "shop", "rest"));
  assert.deepEqual(route.spec.summary.upstreams, [{ namespace: "shop", name: "rest", port: 8080 }]);
  const { ask } = await serve({ store, hasFleet: false });
  const { body } = await ask("GET /apis/shop/todo");
  assert.deepEqual(Object(body).fleet, { namespace: "infra", name: "edge" });
});

inCluster("follows the fleet that is the default", async ({ client }, store) => {
  const make = (name: string, isDefault: boolean): Promise<KubernetesObject> =>
    client.apply(FLEET, {
      ...kindOf(FLEET),
      metadata: { namespace: "default", name },
      spec: { default: isDefault, service: SERVICE },
    });
  await make("one", true);
  await client.create(API, {
    ...kindOf(API),
    metadata: { namespace: "a", name: "todo" },
    spec: { openapi: definition() },
  });
  const { ask } = await serve({ store, hasFleet: false });
  const fleetOf = async (): Promise<unknown> => Object((await ask("GET /apis/a/todo")).body).fleet?.name;
  await until(async () => (await fleetOf()) === "one" || undefined);
  await make("one", false);
  await make("two", true);
  await until(async () => (await fleetOf()) === "two" || undefined);
});

inCluster("takes a change of an object's status for none of the object", async ({ client }, store) => {
  const [created] = await store.apply([{ kind: "create", resource: api("todo") }]);
  const metadata = { namespace: "default", name: "todo" };
  const condition = { type: "Accepted", status: "True", reason: "Accepted", message: "", observedGeneration: 1 };
  const conditions = [{ ...condition, lastTransitionTime: "2026-01-02T03:04:05Z" }];
  const status = await client.applyStatus(API, { ...kindOf(API), metadata, status: { conditions } });
  const ifVersion = created?.version ?? "";
  assert.notEqual(status.metadata.resourceVersion, ifVersion);
  const [updated] = await store.apply([{ kind: "update", resource: api("todo", "2.0.0"), ifVersion }]);
  await refused(store.apply([{ kind: "update", resource: api("todo", "3.0.0"), ifVersion }]), "stale");
  await store.apply([{ kind: "delete", resource: api("todo"), ifVersion: updated?.version ?? "" }]);
});

inCluster("lets an ETag hold while only the status changes", async ({ client }, store) => {
  const { ask } = await serve({ store });
  const etag = (await ask("POST /apis", { name: "todo", openapi: definition() })).headers.get("etag") ?? "";
  const metadata = { namespace: "default", name: "todo" };
  await client.applyStatus(API, { ...kindOf(API), metadata, status: { observedGeneration: 1 } });
  await until(async () => (await ask("GET /apis/default/todo")).headers.get("etag") !== etag);
  const isMeant = { "if-match": etag };
  const put = async (version: string): Promise<number> =>
    (await ask("PUT /apis/default/todo", { openapi: definition({ version }) }, isMeant)).status;
  assert.equal(await put("2.0.0"), 201);
  assert.equal(await put("3.0.0"), 412);
});

inCluster("replaces what is there by the same without a change", async (_cluster, store) => {
  const [created] = await store.apply([{ kind: "create", resource: api("todo") }]);
  const { revision } = store;
  const [updated] = await store.apply([{ kind: "update", resource: api("todo") }]);
  assert.equal(updated?.version, created?.version);
  assert.equal(store.revision, revision);
});

inCluster("shows nothing of what was only tried", async ({ client }, store) => {
  await store.apply([{ kind: "create", resource: api("todo") }]);
  await store.apply([{ kind: "update", resource: api("todo", "2.0.0") }], { dryRun: true });
  await client.patch(API, "default", "todo", { spec: { openapi: definition({ version: "3.0.0" }) } });
  const shown = await until(async () => {
    const { summary: { version }, openapi } = Object(await store.get("api", "default", "todo")).spec;
    return version !== "1.0.0" && { version, openapi };
  });
  assert.deepEqual(shown, { version: "3.0.0", openapi: definition({ version: "3.0.0" }) });
});

inCluster("lets one of many creations win, also of two stores", async (cluster, store) => {
  const other = createKubernetesStore(cluster);
  const create = (index: number): Promise<unknown> =>
    (index % 2 === 0 ? store : other).apply([{ kind: "create", resource: api("todo", `1.0.${index}`) }]);
  const results = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => create(index)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  for (const result of results) {
    if (result.status === "rejected") {
      assert.equal(result.reason instanceof StoreError && result.reason.reason, "exists");
    }
  }
});

inCluster("hides what is being deleted, and waits for it before it makes another", async ({ client }, store) => {
  const metadata = { namespace: "default", name: "todo", finalizers: ["example.com/wait"] };
  await client.create(API, { ...kindOf(API), metadata, spec: { openapi: definition() } });
  await until(() => store.get("api", "default", "todo"));
  await store.apply([{ kind: "delete", resource: api("todo") }]);
  assert.equal(await store.get("api", "default", "todo"), undefined);
  assert.deepEqual(await store.namespaces(), []);
  await refused(store.apply([{ kind: "update", resource: api("todo") }]), "missing");
  const creating = store.apply([{ kind: "create", resource: api("todo", "2.0.0") }]);
  await client.patch(API, "default", "todo", { metadata: { finalizers: null } });
  await creating;
  assert.match((await store.get("api", "default", "todo"))?.spec.openapi ?? "", /2\.0\.0/);
});

inCluster("keeps what Kubernetes says of a refusal", async (cluster, store) => {
  const { client } = cluster;
  const answers: [error: KubeError, status: number, kubernetes: unknown][] = [
    [new KubeError(403, "Forbidden", "no"), 403, { code: 403, reason: "Forbidden" }],
    [new KubeError(422, "Invalid", "no"), 422, { code: 422, reason: "Invalid" }],
    [new KubeError(404, "NotFound", "no namespace"), 422, { code: 404, reason: "NotFound" }],
    [new KubeError(413, "RequestEntityTooLarge", "no"), 413, { code: 413, reason: "RequestEntityTooLarge" }],
    [new KubeError(401, "Unauthorized", "no"), 503, { code: 401, reason: "Unauthorized" }],
    [new KubeError(0, "", "connection refused"), 503, { code: 0, reason: "" }],
    [new KubeError(500, "InternalError", "no"), 503, { code: 500, reason: "InternalError" }],
  ];
  let answer: KubeError | undefined;
  const failing = createKubernetesStore({
    ...cluster,
    client: {
      ...client,
      apply: (...args) => answer === undefined ? client.apply(...args) : Promise.reject(answer),
    },
  });
  const { ask } = await serve({ store: failing });
  for (const [error, status, kubernetes] of answers) {
    answer = error;
    const reply = await ask("POST /apis", { name: "todo", openapi: definition() });
    assert.equal(reply.status, status, reply.text);
    assert.deepEqual(Object(reply.body).kubernetes, kubernetes);
    assert.equal(reply.headers.get("retry-after"), status === 503 ? "5" : null);
  }
  answer = undefined;
  assert.equal((await ask("POST /apis", { name: "todo", openapi: definition() })).status, 201);
  assert.equal((await store.list("api")).items.length, 1);
});

inCluster("says what was changed when it can't change the rest", async (cluster, store) => {
  const { client } = cluster;
  await store.apply([{ kind: "create", resource: api("a") }]);
  await store.apply([{ kind: "create", resource: api("b") }]);
  const failing = createKubernetesStore({
    ...cluster,
    client: {
      ...client,
      delete: (type, namespace, name, options) =>
        name === "b" && options?.dryRun !== true
          ? Promise.reject(new KubeError(0, "", "connection lost"))
          : client.delete(type, namespace, name, options),
    },
  });
  await assert.rejects(
    failing.apply([{ kind: "delete", resource: api("a") }, { kind: "delete", resource: api("b") }]),
    (error) =>
      error instanceof StoreError && error.reason === "unavailable" && /before: api default\/a/.test(error.message),
  );
  assert.deepEqual((await store.list("api")).items.map(({ name }) => name), ["b"]);
});

inCluster("tries all of several changes before it makes the first", async (cluster, store) => {
  await store.apply([{ kind: "create", resource: api("a") }]);
  const invalid = { ...api("B"), name: "Not A Name" };
  await refused(
    store.apply([{ kind: "delete", resource: api("a") }, { kind: "create", resource: invalid }]),
    "refused",
  );
  assert.equal((await store.list("api")).items.length, 1);
  assert.equal(cluster.resources.api.list().length, 1);
});

Deno.test("the Kubernetes store reads on while the API server is away, refuses changes meanwhile, and goes on after", async () => {
  await using server = await startApiServer({ own: true });
  await using cluster = await createVirtualCluster(server);
  const store = createKubernetesStore(cluster);
  await store.apply([{ kind: "create", resource: api("todo") }]);
  await server.stop();
  assert.equal((await store.list("api")).items.length, 1);
  await refused(store.apply([{ kind: "update", resource: api("todo", "2.0.0") }]), "unavailable");
  assert.match((await store.get("api", "default", "todo"))?.spec.openapi ?? "", /1\.0\.0/);
  await server.start();
  await until(async () => {
    await store.apply([{ kind: "update", resource: api("todo", "3.0.0") }]);
    return true;
  });
  assert.match((await store.get("api", "default", "todo"))?.spec.openapi ?? "", /3\.0\.0/);
  await cluster.client.patch(API, "default", "todo", { metadata: { labels: { after: "restart" } } });
  await until(() => cluster.resources.api.get("default", "todo")?.metadata.labels?.["after"]);
});

function api(name: string, version = "1.0.0"): Extract<AnyResource, { kind: "api" }> {
  const summary = { version, service: { name: "", namespace: "" }, analysisUrl: "", upstreams: [] };
  const spec = { fleet: { name: "default", namespace: "default" }, openapi: definition({ version }), summary };
  return { kind: "api", namespace: "default", name, spec };
}

function withText(resource: Extract<AnyResource, { kind: "api" }>, openapi: string): AnyResource {
  return { ...resource, spec: { ...resource.spec, openapi } };
}

function kindOf({ apiVersion, kind }: ResourceType): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}

async function present(object: Promise<KubernetesObject | undefined>): Promise<KubernetesObject> {
  const found = await object;
  assert.ok(found);
  return found;
}

async function refused(promise: Promise<unknown>, reason: StoreError["reason"]): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.reason, reason, error.message);
    return true;
  });
}
