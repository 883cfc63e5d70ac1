import assert from "node:assert/strict";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

type Json = Record<string, unknown>;

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const get = (schema: Json): Json => ({
  get: { responses: { 200: { description: "Fine", content: { "application/json": { schema } } } } },
});
const pair = (path: string, schema: Json): Json => ({
  [path]: get({ type: "array", items: schema }),
  [`${path}/{id}`]: get(schema),
});

/** Definitions for which inference could take very long, with the number of resources that it must find. */
const HOSTILE: { title: string; paths: Json; schemas: Json; resources: number }[] = [
  {
    title: "schemas that contain themselves",
    paths: pair("/a", ref("A")),
    schemas: { A: { allOf: [ref("B"), ref("A")] }, B: { anyOf: [ref("A"), ref("B")] } },
    resources: 0,
  },
  {
    title: "a chain of 5,000 schemas, of which the first 100 are read",
    paths: pair("/a", ref("S0")),
    schemas: {
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`S${index}`, {
        allOf: [ref(`S${index + 1}`)],
        properties: { [`p${index}`]: {} },
      }])),
      S5000: { properties: { id: {} } },
    },
    resources: 0,
  },
  {
    title: "an object of 5,000 properties, of which the first 1,000 are read",
    paths: pair("/a", ref("A")),
    schemas: {
      A: {
        properties: Object.fromEntries([
          ...Array.from({ length: 5_000 }, (_, index) => [`p${index}`, {}]),
          ["id", {}],
        ]),
      },
    },
    resources: 0,
  },
  {
    title: "a path of 500 segments, beside others",
    paths: { ...pair("/a".repeat(500), ref("A")), ...pair("/a", ref("A")) },
    schemas: { A: { properties: { id: {} } } },
    resources: 1,
  },
  {
    title: "2,000 collections of the same name",
    paths: Object.assign({}, ...Array.from({ length: 2_000 }, (_, index) => pair(`/x${index}/items`, ref("A")))),
    schemas: { A: { properties: { id: {}, name: {} } } },
    resources: 2_000,
  },
  {
    title: "broken references",
    paths: {
      "/a": { get: ref("None"), post: 3, put: null },
      "/a/{id}": get(ref("None")),
      "/{}/{": get({}),
      "//": null,
    },
    schemas: { A: ref("A") },
    resources: 0,
  },
];

for (const { title, paths, schemas, resources } of HOSTILE) {
  Deno.test(`inferResources() bounds its work on ${title}`, async () => {
    const info = { title: "Hostile", version: "1" };
    const document = await parseDocument({ openapi: "3.1.0", info, paths, components: { schemas } });
    assert.equal(inferResources([document]).all.length, resources);
  });
}
