import assert from "node:assert/strict";
import { createKubernetesStore } from "../../../cmd/cluster/kubernetes_store.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { ResourceSummary } from "../../../lib/gateway/resource.ts";
import type { Store } from "../../../lib/management/store.ts";
import { createFakeCluster } from "./fake_client.ts";
import { createFakeInformer } from "./fake_informer.ts";

const FLEET = { namespace: "edge", name: "edge" };

/** A store with `count` APIs. `read` returns how often the texts of their definitions were read. */
function storeOf(count: number): { store: Store; read: () => number } {
  const resources = { api: createFakeInformer(), fleet: createFakeInformer(), staticroute: createFakeInformer() };
  let read = 0;
  resources.api.set(...Array.from({ length: count }, (_, index): KubernetesObject => ({
    apiVersion: API_VERSION,
    kind: "API",
    metadata: { namespace: "shop", name: `api-${index}`, uid: String(index), generation: 1 },
    spec: {
      fleet: { namespace: "edge", name: "edge" },
      get openapi() {
        read++;
        return JSON.stringify({
          openapi: "3.1.0",
          info: { title: "Todo", version: "1" },
          "x-svc": { mocking: { enabled: true } },
          paths: Object.fromEntries(
            Array.from({ length: 20 }, (_, path) => [`/${path}`, { get: { responses: { 204: { description: "" } } } }]),
          ),
        });
      },
    },
  })));
  for (const informer of Object.values(resources)) informer.sync();
  return { store: createKubernetesStore({ client: createFakeCluster().client, resources }), read: () => read };
}

Deno.test("the first list of a Kubernetes store leaves timers their turns while it reads all definitions", async () => {
  const { store } = storeOf(300);
  let isDone = false;
  let turns = 0;
  const timer = setInterval(() => {
    if (!isDone) turns++;
  }, 1);
  const { items } = await store.list("api");
  isDone = true;
  clearInterval(timer);
  assert.equal(items.length, 300);
  assert.ok(turns > 1);
});

Deno.test("a Kubernetes store counts its resources without reading their definitions", async () => {
  const { store, read } = storeOf(300);
  assert.equal(await store.count?.("api"), 300);
  assert.equal(await store.count?.("fleet"), 0);
  assert.equal(read(), 0);
});

/** The summary that a store's list has for an object with the given spec. */
async function summaryOf(kind: "API" | "StaticRoute", spec: object): Promise<ResourceSummary | undefined> {
  const resources = { api: createFakeInformer(), fleet: createFakeInformer(), staticroute: createFakeInformer() };
  const metadata = { namespace: "shop", name: "todo", uid: "1", generation: 1 };
  const which = kind === "API" ? "api" : "staticroute";
  resources[which].set({ apiVersion: API_VERSION, kind, metadata, spec: { fleet: FLEET, ...spec } });
  for (const informer of Object.values(resources)) informer.sync();
  const store = createKubernetesStore({ client: createFakeCluster().client, resources });
  const { items: [item] } = await store.list(which);
  return item?.spec.summary;
}

Deno.test("a Kubernetes store lists a summary of each definition", async () => {
  const upstream = { service: { name: "todo" } };
  const openapi = `{openapi: 3.1.0, info: {title: Todo, version: 1.0}, x-svc: ${
    JSON.stringify({ upstream })
  }, paths: {}}`;
  const service = { name: "todo", namespace: "shop" };
  assert.deepEqual(await summaryOf("API", { openapi }), { version: "1.0", service, analysisUrl: "", upstreams: [] });
  assert.deepEqual((await summaryOf("StaticRoute", { upstream }))?.upstreams, [{ ...service, port: 80 }]);
});

Deno.test("a Kubernetes store lists an empty summary of a text that isn't a definition", async () => {
  const nothing = { version: "", service: { name: "", namespace: "" }, analysisUrl: "", upstreams: [] };
  const texts = ["", "x", "[]", "3", "{", "paths: 3", "openapi: 3.1.0\npaths: {/a: 3, b: {get: []}}", "x-svc: 3"];
  for (const openapi of texts) assert.deepEqual(await summaryOf("API", { openapi }), nothing, openapi);
  assert.deepEqual(await summaryOf("API", { openapiGzip: "no base64!" }), nothing);
});
