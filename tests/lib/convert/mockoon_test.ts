import assert from "node:assert/strict";
import { convertEndpoint } from "../../../lib/convert/mockoon/endpoint.ts";
import { convertMockoon, isMockoon } from "../../../lib/convert/mockoon/mockoon.ts";
import { readTemplate } from "../../../lib/convert/mockoon/template.ts";
import { readSource } from "../../../lib/openapi/text/source.ts";
import { isObject, type JsonObject } from "../../../lib/schema/json/node.ts";

/** Converts a Mockoon environment with some routes, whose other fields have Mockoon's defaults. */
async function convert(
  routes: unknown[],
  others: JsonObject = {},
): Promise<{ text: string; paths: JsonObject; components: unknown; left: string[] }> {
  const { source } = await readSource(
    "mockoon.json",
    JSON.stringify({ lastMigration: 33, name: "A", routes, ...others }),
  );
  const { text, leftovers } = convertMockoon(source);
  const { source: { value } } = await readSource("api.yaml", text);
  assert.ok(isObject(value));
  const { paths, components } = value;
  assert.ok(isObject(paths));
  return { text, paths, components, left: leftovers.map(({ pointer }) => pointer) };
}

Deno.test("convertEndpoint() writes Express's paths as OpenAPI's", () => {
  const cases: [prefix: string, endpoint: string, want: string[] | undefined][] = [
    ["", "users", ["/users"]],
    ["", "", ["/"]],
    ["api/v1", "users/:id", ["/api/v1/users/{id}"]],
    ["/api/", "/users//:id", ["/api/users/{id}"]],
    ["", "a b", ["/a%20b"]],
    ["", ":a-:b.:c", ["/{a}-{b}.{c}"]],
    ["", "users/:id?", ["/users/{id}", "/users"]],
    ["", "f/:name.:ending?", ["/f/{name}.{ending}", "/f/{name}"]],
    ["", "static/*", undefined],
    ["", "ab(cd)?e", undefined],
    ["", "files/:path+", undefined],
    ["", ":a?/:b?/:c?/:d?/:e?", undefined],
  ];
  for (const [prefix, endpoint, want] of cases) {
    const converted = convertEndpoint(prefix, endpoint);
    assert.deepEqual(converted.kind === "paths" ? converted.paths : undefined, want, `${prefix} ${endpoint}`);
  }
});

Deno.test("convertMockoon() turns rules into conditions, and lists those that it can't", async (t) => {
  const rule = (target: string, modifier: string, value: string, more: JsonObject = {}): JsonObject => {
    return { target, modifier, value, operator: "equals", invert: false, ...more };
  };
  const cases: { rules: JsonObject[]; operator?: string; want: unknown[]; left?: string[] }[] = [
    { rules: [rule("params", "id", "1")], want: [{ "path.id": "1" }] },
    { rules: [rule("query", "a.b", "1")], want: [{ "query.a[b]": "1" }] },
    {
      rules: [rule("header", "X-A", "1"), rule("cookie", "c", "2")],
      want: [{ "header.X-A": "1" }, { "cookie.c": "2" }],
    },
    {
      rules: [rule("header", "X-A", "1"), rule("cookie", "c", "2")],
      operator: "AND",
      want: [{ "header.X-A": "1", "cookie.c": "2" }],
    },
    { rules: [rule("body", "a.0.b", "x")], want: [{ "body./a/0/b": "x" }] },
    { rules: [rule("body", "$.a[0]['b']", "x")], want: [{ "body./a/0/b": "x" }] },
    { rules: [rule("body", "$..b", "x")], want: [], left: ["0"] },
    { rules: [rule("params", "id", "^ab$", { operator: "regex" })], want: [{ "path.id": "ab" }] },
    { rules: [rule("params", "id", "^a+$", { operator: "regex" })], want: [], left: ["0"] },
    { rules: [rule("query", "q", "", { operator: "null" })], want: [], left: ["0"] },
    { rules: [rule("params", "id", "1", { invert: true })], want: [], left: ["0"] },
    { rules: [rule("query", "q", "{{now}}")], want: [], left: ["0"] },
    { rules: [rule("global_var", "g", "1"), rule("params", "id", "1")], want: [{ "path.id": "1" }], left: ["0"] },
    { rules: [rule("global_var", "g", "1"), rule("params", "id", "1")], operator: "AND", want: [], left: ["0"] },
    { rules: [rule("method", "", "post"), rule("params", "id", "1")], want: [{ "path.id": "1" }] },
    { rules: [rule("method", "", "get"), rule("params", "id", "1")], operator: "AND", want: [{ "path.id": "1" }] },
  ];
  for (const { rules, operator = "OR", want, left = [] } of cases) {
    await t.step(JSON.stringify(rules.map(({ target, modifier, value }) => [target, modifier, value])), async () => {
      const responses = [
        { body: "1", default: true, headers: [{ key: "Content-Type", value: "text/plain" }] },
        { body: "2", label: "B", statusCode: 404, rules, rulesOperator: operator },
      ];
      const { paths, left: found } = await convert([{ method: "get", endpoint: "a/:id", responses }]);
      const matches = JSON.stringify(paths).match(/"match":\{[^}]*\}/g) ?? [];
      assert.deepEqual(matches.map((match) => JSON.parse(`{${match}}`).match), want);
      assert.deepEqual(found, left.map((index) => `/routes/0/responses/1/rules/${index}`));
    });
  }
});

Deno.test("readTemplate() describes what templates make", async (t) => {
  const cases: { body: string; schema: unknown; sample: unknown; left?: string[] }[] = [
    {
      body: '{"a": 1}',
      schema: { type: "object", required: ["a"], properties: { a: { const: 1 } } },
      sample: { a: 1 },
    },
    { body: "\"{{faker 'internet.email'}}\"", schema: { type: "string", format: "email" }, sample: "ann@example.com" },
    { body: "{{int 2 9}}", schema: { type: "integer", minimum: 2, maximum: 9 }, sample: 2 },
    { body: '"{{int 2 9}}"', schema: { type: "string" }, sample: "2" },
    { body: "{{faker 'datatype.boolean'}}", schema: { type: "boolean" }, sample: true },
    { body: "\"{{oneOf (array 'a' 'b')}}\"", schema: { type: "string", enum: ["a", "b"] }, sample: "a" },
    { body: '"No. {{int 1 3}}!"', schema: { type: "string" }, sample: "No. 1!" },
    {
      body: "[ {{#repeat 2 3}} {{boolean}}, {{/repeat}} ]",
      schema: { type: "array", items: { type: "boolean" }, minItems: 2, maxItems: 3 },
      sample: [true, true],
    },
    {
      body: "\"{{urlParam 'id'}}\"",
      schema: { type: "string", minLength: 1 },
      sample: "text",
      left: ["urlParam 'id'"],
    },
  ];
  for (const { body, schema, sample, left = [] } of cases) {
    await t.step(body, () => assert.deepEqual(readTemplate(body), { schema, sample, left }));
  }
  for (
    const body of [
      "{{#if a}}1{{/if}}{",
      "Hello {{name}}",
      `${"[".repeat(600)}{{now}}${"]".repeat(600)}`,
      "{{now}}".repeat(20_000),
    ]
  ) {
    await t.step(body.slice(0, 30), () => assert.equal(readTemplate(body), undefined));
  }
});

Deno.test("convertMockoon() keeps a file's texts out of the comment's line, of a shell and of prototypes", async () => {
  const headers = [{ key: "Content-Type", value: "__proto__" }, { key: "__proto__", value: "a" }];
  const { text, paths } = await convert([{ method: "get", endpoint: "a", responses: [{ body: "b", headers }] }], {
    hostname: "a\nb: $(id)",
    port: 1,
  });
  assert.match(text, /^# gw mock openapi\.yaml --port 1 --host 'ab: \$\(id\)'\nopenapi: /);
  assert.equal(Object.hasOwn(Object.prototype, "examples"), false);
  assert.deepEqual(Object.keys(paths), ["/a"]);
});

Deno.test("convertMockoon() lists what gw has nothing for", async () => {
  const responses = [{ body: "{}", default: true, callbacks: [{}] }, { body: "2", latency: 5 }];
  const { left } = await convert(
    [
      { type: "ws", endpoint: "a" },
      { method: "get", endpoint: "b", responseMode: "RANDOM", responses },
      { method: "propfind", endpoint: "c", responses },
      { method: "get", endpoint: "b", responses },
      { type: "crud", endpoint: "d", responses: [{ databucketID: "none" }] },
    ],
    { proxyMode: true, proxyHost: "http://a", tlsOptions: { enabled: true, type: "PFX" }, callbacks: [{}] },
  );
  assert.deepEqual(left, [
    "/routes/0/type",
    "/routes/1/responseMode",
    "/routes/1/responses/0/callbacks",
    "/routes/1/responses/1/latency",
    "/routes/2/method",
    "/routes/3/endpoint",
    "/routes/4",
    "/proxyHost",
    "/tlsOptions",
    "/callbacks",
  ]);
});

Deno.test("readTemplate() takes no text of a body for its own marks", () => {
  let body = '"{{int 1 2}}"';
  for (let depth = 0; depth < 3; depth++) body = `{"\\uE000items":[1000,1000],"\\ue000item":${body}}`;
  assert.equal(readTemplate(body), undefined);
});

Deno.test("convertMockoon() keeps the data of CRUD routes as an example, and has templated data generated", async () => {
  const crud = { type: "crud", endpoint: "users", responses: [{ databucketID: "d" }] };
  const dataOf = (value: string): JsonObject => ({ data: [{ id: "d", value }] });
  const listOf = ({ paths }: { paths: JsonObject }): string => JSON.stringify(paths["/users"]);

  const literal = await convert([crud], dataOf('[{"id": 1}, {"id": 2}]'));
  assert.match(literal.text, /^# gw mock openapi\.yaml --items 2\n/);
  assert.match(listOf(literal), /"example":\[\{"id":1\},\{"id":2\}\]/);

  const templated = await convert([crud], dataOf('[{{#repeat 5}}{"id": "{{faker \'string.uuid\'}}"}{{/repeat}}]'));
  assert.match(templated.text, /^# gw mock openapi\.yaml --items 5\n/);
  assert.match(listOf(templated), /"properties":\{"id":\{"type":"string","format":"uuid"\}\}/);
  assert.doesNotMatch(listOf(templated), /"example"/);
  assert.deepEqual(templated.left, []);

  const { left } = await convert([crud], dataOf('["a"]'));
  assert.deepEqual(left, ["/data/0"]);
});

Deno.test("convertMockoon() writes the operations of a data bucket once, however many CRUD routes serve it", async () => {
  const crud = (endpoint: string, bucket: string, documentation = ""): JsonObject => (
    { type: "crud", endpoint, documentation, responses: [{ databucketID: bucket }] }
  );
  const value = JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, text: "only once in the definition" })));
  const many = Array.from({ length: 200 }, (_, index) => crud(`many${index}`, "a"));
  const data = [
    { id: "a", name: "Größen / all", value },
    { id: "b", name: "Größen / all", value: '[{"id": 1}]' },
    { id: "c", name: "One", value: '[{"id": 1}]' },
    { id: "d", name: "Scalar", value: "1" },
  ];
  const routes = [
    ...many,
    crud("b0", "b", "The first"),
    crud("b1", "b"),
    crud("b2", "b"),
    { method: "get", endpoint: "b2", responses: [{ body: "{}" }] },
    { method: "head", endpoint: "b2", responses: [{ body: "" }] },
    crud("c", "c"),
    crud("d0", "d"),
    crud("d1", "d"),
  ];
  const { text, paths, left, components } = await convert(routes, { data });
  assert.equal(text.match(/only once in the definition/g)?.length, 50);
  const keysOf = (path: string): string[] => Object.keys(Object(paths[path]));
  assert.deepEqual(paths["/many199/{id}"], { $ref: "#/components/pathItems/Gr-en-all-item" });
  assert.deepEqual(paths["/b0"], { summary: "The first", $ref: "#/components/pathItems/Gr-en-all-list-3" });
  assert.deepEqual(keysOf("/b2"), ["x-svc", "get", "post", "head"]);
  assert.deepEqual(keysOf("/c"), ["x-svc", "get", "post"]);
  assert.deepEqual(Object.keys(Object(components).pathItems), [
    "Gr-en-all-list",
    "Gr-en-all-item",
    "Gr-en-all-list-3",
    "Gr-en-all-item-4",
  ]);
  assert.deepEqual(left, ["/routes/203/endpoint", "/data/3"]);
});

Deno.test("isMockoon() tells an environment file from other texts", async () => {
  const cases: [string, boolean][] = [
    ['{"lastMigration": 33, "routes": []}', true],
    ['{"routes": []}', false],
    ['{"openapi": "3.1.0", "paths": {}}', false],
  ];
  for (const [text, want] of cases) assert.equal(isMockoon((await readSource("a", text)).source), want, text);
});
