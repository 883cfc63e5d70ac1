import assert from "node:assert/strict";
import { inferResources } from "../../../../../lib/mock/infer/infer_resources.ts";
import { References } from "../../../../../lib/mock/state/item/references.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";

/**
 * Graphs of resources: for each resource, the resources that its items refer to, and those that remain after cycles
 * were broken.
 */
const GRAPHS: readonly { name: string; graph: Record<string, string[]>; kept: Record<string, string[]> }[] = [
  { name: "no cycle", graph: { ant: ["bee"], bee: ["cat"], cat: [] }, kept: { ant: ["bee"], bee: ["cat"], cat: [] } },
  { name: "itself", graph: { ant: ["ant"] }, kept: { ant: [] } },
  { name: "two", graph: { ant: ["bee"], bee: ["ant"] }, kept: { ant: [], bee: ["ant"] } },
  { name: "three", graph: { ant: ["bee"], bee: ["cat"], cat: ["ant"] }, kept: { ant: [], bee: [], cat: ["ant"] } },
  {
    name: "into a cycle",
    graph: { ant: ["bee"], bee: ["cat"], cat: ["bee"] },
    kept: { ant: ["bee"], bee: [], cat: ["bee"] },
  },
  {
    name: "two cycles",
    graph: { ant: ["bee", "cat"], bee: ["ant"], cat: ["dog"], dog: ["cat"] },
    kept: { ant: ["cat"], bee: ["ant"], cat: [], dog: ["cat"] },
  },
];

for (const { name, graph, kept } of GRAPHS) {
  Deno.test(`withoutCycles() keeps references from later to earlier resources: ${name}`, async () => {
    assert.deepEqual(await withoutCycles(graph), kept);
  });
}

Deno.test("withoutCycles() visits each of 150 resources in a cycle once", async () => {
  const names = Array.from({ length: 150 }, (_, index) => `r${index}x`);
  const found = await withoutCycles(Object.fromEntries(names.map((name) => [name, names])));
  assert.deepEqual(names.map((name) => found[name]?.length), names.map((_, index) => index));
});

async function withoutCycles(graph: Record<string, string[]>): Promise<Record<string, string[]>> {
  const paths = Object.fromEntries(
    Object.entries(graph).flatMap(([name, targets]) => {
      const properties = Object.fromEntries(
        ["id", ...targets.map((target) => `${target}Id`)].map((property) => [property, { type: "string" }]),
      );
      const content = (schema: unknown) => ({ description: "", content: { "application/json": { schema } } });
      const item = { type: "object", required: ["id"], properties };
      const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
      return [
        [`/${name}s`, { get: { responses: { "200": content({ type: "array", items: item }) } } }],
        [`/${name}s/{id}`, { parameters, get: { responses: { "200": content(item) } } }],
      ];
    }),
  );
  const document = await parseDocument({ openapi: "3.1.0", info: { title: "Graph", version: "1" }, paths });
  const resources = inferResources([document]);
  const references = new References(resources);
  return Object.fromEntries(resources.all.map((resource) => [
    resource.name.replace(/s$/, ""),
    references.withoutCycles(resource).map(({ target }) => target.name.replace(/s$/, "")),
  ]));
}
