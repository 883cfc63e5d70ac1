import assert from "node:assert/strict";
import { NeighbourIndex } from "../../../../lib/cluster/translate/neighbour_index.ts";
import { planOf, planOfStaticRoute } from "./rendering_support.ts";

const UPSTREAM = { upstream: { service: { name: "web" } } };

Deno.test("NeighbourIndex finds plans whose paths may overlap", async () => {
  const index = new NeighbourIndex();
  const plans = await Promise.all([
    planOf("todo", UPSTREAM, { "GET /todo/{id}": {} }),
    planOf("any", UPSTREAM, { "GET /{kind}/{id}": {} }),
    planOf("shop", { ...UPSTREAM, path: { prefix: "/shop" } }, { "GET /items": {}, "GET /{id}": {} }),
    planOf("deep", UPSTREAM, { "GET /todo/{id}/notes": {} }),
    planOf("elsewhere", { ...UPSTREAM, hosts: ["a.example.com"] }, { "GET /todo": {} }),
    planOf("other", { ...UPSTREAM, hosts: ["b.example.com"], public_api_path: "/shop/openapi.json" }, { "GET /b": {} }),
    planOfStaticRoute("files", { ...UPSTREAM, path: { prefix: "/todo/files" } }),
  ]);
  for (const one of plans) index.set(one.name, one);
  assert.deepEqual(index.of("todo").sort(), ["any", "deep", "elsewhere", "files"]);
  assert.deepEqual(index.of("any").sort(), ["deep", "elsewhere", "files", "other", "shop", "todo"]);
  assert.deepEqual(index.of("elsewhere").sort(), ["any", "deep", "files", "todo"]);
  assert.deepEqual(index.of("shop").sort(), ["any", "other"]);
  index.set("any", undefined);
  assert.deepEqual(index.of("shop"), ["other"]);
  assert.deepEqual(index.of("any"), []);
  assert.deepEqual(index.keys().sort(), ["deep", "elsewhere", "files", "other", "shop", "todo"]);
});
