import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { bundle } from "../../../lib/openapi/bundle.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";

type Files = Readonly<Record<string, unknown>>;

/** Parses a definition with `paths` and `components`, beside other files. */
async function parse(paths: unknown, { components = {}, files = {} }: { components?: unknown; files?: Files } = {}) {
  const definition = { openapi: "3.1.0", info: { title: "R", version: "1" }, paths, components };
  return await parseDocument(JSON.stringify(definition), {
    uri: "file:///api/api.json",
    load: (uri) => {
      const file = files[uri.replace("file:///api/", "")];
      return file === undefined
        ? Promise.reject(new Error("it isn't there"))
        : Promise.resolve(new TextEncoder().encode(JSON.stringify(file)));
    },
  });
}

const json = (media: unknown): unknown => ({ responses: { "200": { content: { "application/json": media } } } });
const get = (operation: unknown): unknown => ({ "/a": { get: operation } });

async function answer(document: Document, path = "/a"): Promise<unknown> {
  return await (await createMock(document)(new Request(`http://localhost${path}`))).json();
}

const codes = (document: Document): string[] => document.diagnostics.map(({ code }) => code);

const CASES: readonly {
  name: string;
  paths: unknown;
  components?: unknown;
  files?: Files;
  body: unknown;
  /** How many references are misplaced. Default: 1. */
  count?: number;
}[] = [
  {
    name: "content",
    paths: get({ responses: { "200": { content: { $ref: "c.json" } } } }),
    files: { "c.json": { "application/json": { example: 1 } } },
    body: 1,
  },
  {
    name: "responses",
    paths: get({ responses: { $ref: "r/r.json#/x" } }),
    files: {
      "r/r.json": { x: { "200": { $ref: "ok.json" } } },
      "r/ok.json": { content: { "application/json": { example: 2 } } },
    },
    body: 2,
  },
  {
    name: "properties, with relative references in them",
    paths: get(json({ schema: { type: "object", required: ["a"], properties: { $ref: "p/p.json" } } })),
    files: { "p/p.json": { a: { $ref: "a.json" } }, "p/a.json": { const: 3 } },
    body: { a: 3 },
  },
  {
    name: "examples",
    paths: get(json({ examples: { $ref: "e.json" } })),
    files: { "e.json": { one: { value: { $ref: "v.json" } } }, "v.json": { deep: [4] } },
    body: { deep: [4] },
    count: 2,
  },
  {
    name: "paths",
    paths: { $ref: "paths.json" },
    files: { "paths.json": get(json({ example: 5 })) as Files },
    body: 5,
  },
  {
    name: "components.schemas, through which references lead",
    paths: get(json({ schema: { $ref: "#/components/schemas/A" } })),
    components: { schemas: { $ref: "schemas.json" } },
    files: { "schemas.json": { A: { const: 6 } } },
    body: 6,
  },
  {
    name: "an operation",
    paths: get({ $ref: "op/get.json" }),
    files: {
      "op/get.json": { responses: { "200": { $ref: "ok.json" } } },
      "op/ok.json": { content: { "application/json": { example: 12 } } },
    },
    body: 12,
  },
  {
    name: "allOf",
    paths: get(json({ schema: { allOf: { $ref: "all.json" } } })),
    files: { "all.json": [{ const: 7 }] },
    body: 7,
  },
  { name: "enum", paths: get(json({ schema: { enum: { $ref: "enum.json" } } })), files: { "enum.json": [8] }, body: 8 },
  {
    name: "an example that refers to an Example Object",
    paths: get(json({ example: { $ref: "#/components/examples/E" } })),
    components: { examples: { E: { value: 9 } } },
    body: 9,
  },
  {
    name: "a part of an example",
    paths: get(json({ examples: { a: { value: { items: [{ $ref: "#/components/examples/E/value" }] } } } })),
    components: { examples: { E: { value: 10 } } },
    body: { items: [10] },
  },
  {
    name: "an example of a schema",
    paths: get(json({ schema: { type: "object", example: { $ref: "one.json" } } })),
    files: { "one.json": { a: 11 } },
    body: { a: 11 },
  },
];

for (const { name, paths, components, files, body, count = 1 } of CASES) {
  Deno.test(`a reference in the place of ${name} is resolved with a warning`, async () => {
    const document = await parse(paths, { components, ...files === undefined ? {} : { files } });
    const found = document.diagnostics.filter(({ code }) => code === "misplaced-reference");
    assert.equal(found.length, count);
    assert.ok(found.every(({ severity, pointer }) => severity === "warning" && pointer.endsWith("/$ref")));
    assert.deepEqual(await answer(document), body);
    const text = bundle(document)?.text;
    if (text !== undefined) assert.deepEqual(await answer(await parseDocument(text)), body);
  });
}

Deno.test("a reference in the place of parameters or headers is resolved", async () => {
  const document = await parse(
    get({
      parameters: { $ref: "params.json" },
      responses: { "200": { headers: { $ref: "headers.json" }, content: { "application/json": { example: 1 } } } },
    }),
    {
      files: {
        "params.json": [{ name: "lim", in: "query", required: true, schema: { type: "integer" } }],
        "headers.json": { "X-A": { example: "q" } },
      },
    },
  );
  const mock = createMock(document, { validate: "error" });
  assert.equal((await mock(new Request("http://localhost/a"))).status, 422);
  assert.equal((await mock(new Request("http://localhost/a?lim=1"))).headers.get("x-a"), "q");
});

Deno.test("references where Swagger 2.0 has none are resolved before it is converted", async () => {
  const files: Record<string, unknown> = {
    "r.json": { "200": { description: "OK", schema: { $ref: "defs.json#/A" } } },
    "params.json": [{ name: "lim", in: "query", required: true, type: "integer" }],
    "defs.json": { A: { type: "object", required: ["a"], properties: { a: { type: "integer", enum: [1] } } } },
  };
  const operation = { parameters: { $ref: "params.json" }, responses: { $ref: "r.json" } };
  const definition = {
    swagger: "2.0",
    info: { title: "S", version: "1" },
    produces: ["application/json"],
    paths: { "/a": { get: operation } },
  };
  const document = await parseDocument(JSON.stringify(definition), {
    uri: "file:///api/api.json",
    load: (uri) => Promise.resolve(new TextEncoder().encode(JSON.stringify(files[uri.replace("file:///api/", "")]))),
  });
  assert.deepEqual(codes(document), ["misplaced-reference", "misplaced-reference"]);
  const mock = createMock(document, { validate: "error" });
  assert.equal((await mock(new Request("http://localhost/a"))).status, 422);
  assert.deepEqual(await answer(document, "/a?lim=1"), { a: 1 });
});

Deno.test("a property, a name or a value `$ref` is no reference", async () => {
  const property = await parse(
    get(json({
      schema: { type: "object", properties: { $ref: { type: "string" } } },
      example: { $ref: "#/components/examples/E" },
    })),
    { components: { examples: { E: { value: 1 } } } },
  );
  assert.deepEqual(codes(property), []);
  assert.deepEqual(await answer(property), { $ref: "#/components/examples/E" });

  for (const example of [{ $ref: 1 }, { $ref: "#/nowhere" }, { $ref: "#/info", other: 1 }]) {
    const document = await parse(get(json({ example })));
    assert.deepEqual(codes(document), []);
    assert.deepEqual(await answer(document), example);
  }
  const missing = await parse(get(json({ example: { $ref: "./missing.json" } })));
  assert.match(missing.diagnostics[0]?.message ?? "", /missing\.json leads nowhere/);
});

Deno.test("misplaced references that lead to themselves, or multiply, end", async () => {
  const loop = { $ref: "#/components/examples/A/value" };
  const around = { $ref: "#/components/examples/B/value/list" };
  const looping = await parse(get(json({ example: loop })), {
    components: { examples: { A: { value: around }, B: { value: { list: [loop] } } } },
  });
  assert.ok(JSON.stringify(looping.root.value).length < 1000);

  const ancestor = await parse(get({ responses: { "200": { content: { $ref: "#/paths" } } } }));
  assert.ok(JSON.stringify(ancestor.root.value).length < 1000);

  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/components/examples/E${at + 1}/value` };
      return [`E${at}`, { value: [next, { ...next }] }];
    }),
  );
  const doubled = await parse(get(json({ example: { $ref: "#/components/examples/E0/value" } })), {
    components: { examples: doubling },
  });
  assert.ok(JSON.stringify(doubled.root.value).length < 1e8);
});
