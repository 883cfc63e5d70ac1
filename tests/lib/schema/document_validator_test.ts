import assert from "node:assert/strict";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { child, type Node } from "../../../lib/schema/json/node.ts";
import { createDocumentValidator } from "../../../lib/schema/document_validator.ts";
import type { Direction } from "../../../lib/schema/schema.ts";

/** Makes `check(value, direction)`, which validates against the schema `Main` and returns violations as texts. */
async function checkerOf(
  schemas: Record<string, unknown>,
  openapi = "3.1.0",
  fields: Record<string, unknown> = {},
): Promise<(value: unknown, direction?: Direction) => string[]> {
  const document = await parseDocument(JSON.stringify({ openapi, paths: {}, components: { schemas }, ...fields }));
  const validator = await createDocumentValidator(document);
  const main: Node = ["components", "schemas", "Main"].reduce<Node>((node, key) => child(node, key), document.root);
  return (value, direction = "response") =>
    validator.checkOf(main, direction)(value).map(({ path, keyword }) => ["", ...path].join("/") + ` ${keyword}`);
}

const DIALECTS: { name: string; openapi: string; schema: unknown; valid: unknown[]; invalid: unknown[] }[] = [
  {
    name: "nullable adds null to a type in 3.0",
    openapi: "3.0.3",
    schema: { type: "string", nullable: true },
    valid: ["a", null],
    invalid: [1],
  },
  {
    name: "x-nullable is Swagger's alone",
    openapi: "3.0.3",
    schema: { type: "string", "x-nullable": true },
    valid: ["a"],
    invalid: [null],
  },
  {
    name: "nullable is no keyword in 3.1",
    openapi: "3.1.0",
    schema: { type: "string", nullable: true },
    valid: ["a"],
    invalid: [null],
  },
  {
    name: "an exclusive bound is a boolean in 3.0",
    openapi: "3.0.3",
    schema: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
    valid: [2, 3],
    invalid: [1, 4],
  },
  {
    name: "an exclusive bound is a number in 3.1",
    openapi: "3.1.0",
    schema: { type: "number", exclusiveMinimum: 1, exclusiveMaximum: 3 },
    valid: [2],
    invalid: [1, 3],
  },
  {
    name: "siblings of $ref don't count in 3.0",
    openapi: "3.0.3",
    schema: { $ref: "#/components/schemas/Text", maxLength: 1 },
    valid: ["abc"],
    invalid: [1],
  },
  {
    name: "siblings of $ref count in 3.1",
    openapi: "3.1.0",
    schema: { $ref: "#/components/schemas/Text", maxLength: 1 },
    valid: ["a"],
    invalid: ["abc", 1],
  },
  {
    name: "siblings of $ref don't count where $schema is draft 7",
    openapi: "3.1.0",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { $ref: "#/components/schemas/Text", maxLength: 1 } },
    },
    valid: [{ a: "abc" }],
    invalid: [{ a: 1 }],
  },
  {
    name: "items as an array is a tuple",
    openapi: "3.0.3",
    schema: { items: [{ type: "string" }], additionalItems: false },
    valid: [["a"]],
    invalid: [[1], ["a", 2]],
  },
  {
    name: "what stands beside a tuple counts for arrays that are shorter, in an `if` too",
    openapi: "3.1.0",
    schema: { if: { prefixItems: [{ type: "string" }], contains: { const: 1 } }, then: false },
    valid: [[], ["a"], [2, 1]],
    invalid: [["a", 1], 1],
  },
  {
    name: "what stands beside a tuple counts for arrays that are shorter, in a `not` too",
    openapi: "3.1.0",
    schema: { not: { prefixItems: [{ type: "string" }], items: { type: "string" }, minItems: 1 } },
    valid: [[], [1], ["a", 1]],
    invalid: [["a"], ["a", "b"]],
  },
  {
    name: "a type that is none allows everything",
    openapi: "3.0.3",
    schema: { type: "file" },
    valid: ["a", 1, null],
    invalid: [],
  },
  {
    name: "keywords of the wrong kind count for nothing",
    openapi: "3.0.3",
    schema: { required: true, minimum: "5", pattern: 5, properties: null, items: "x" },
    valid: [{}, 1, ["a"]],
    invalid: [],
  },
  {
    name: "a pattern that is no regular expression forbids nothing",
    openapi: "3.0.3",
    schema: { type: "string", pattern: "^(?<name[" },
    valid: ["a"],
    invalid: [1],
  },
  {
    name: "a pattern that is none with Unicode semantics is read without",
    openapi: "3.0.3",
    schema: { type: "string", pattern: "^[\\w-.]+$" },
    valid: ["a-b.c"],
    invalid: ["a b"],
  },
  { name: "an empty enum allows nothing", openapi: "3.1.0", schema: { enum: [] }, valid: [], invalid: [1, "a", null] },
  {
    name: "a multiple of a fraction is what it is in decimals",
    openapi: "3.0.3",
    schema: { type: "number", multipleOf: 0.01 },
    valid: [0.07, 1.1, 19.99],
    invalid: [0.075],
  },
  {
    name: "a number that is too large to be divided may be a multiple",
    openapi: "3.0.3",
    schema: { type: "number", multipleOf: 0.5 },
    valid: [1e308, -1e308],
    invalid: [Infinity],
  },
  {
    name: "a reference that leads nowhere allows everything",
    openapi: "3.1.0",
    schema: { $ref: "#/components/schemas/Nothing" },
    valid: [1, "a"],
    invalid: [],
  },
  {
    name: "a schema that refers to itself in place says nothing more",
    openapi: "3.1.0",
    schema: { allOf: [{ $ref: "#/components/schemas/Main" }], type: "string" },
    valid: ["a"],
    invalid: [1],
  },
  {
    name: "unevaluatedProperties sees through references",
    openapi: "3.1.0",
    schema: { $ref: "#/components/schemas/Named", unevaluatedProperties: false },
    valid: [{ name: "a" }],
    invalid: [{ name: "a", more: 1 }],
  },
  {
    name: "unevaluatedProperties sees what stands beside a branch that is not taken",
    openapi: "3.1.0",
    schema: {
      properties: { a: true },
      dependentSchemas: { name: { $ref: "#/components/schemas/Named" } },
      unevaluatedProperties: false,
    },
    valid: [{ a: 1 }, { a: 1, name: "b" }],
    invalid: [{ a: 1, more: 2 }],
  },
  {
    name: "$anchor names a schema",
    openapi: "3.1.0",
    schema: { properties: { text: { $ref: "#text" } } },
    valid: [{ text: "a" }],
    invalid: [{ text: 1 }],
  },
];

for (const { name, openapi, schema, valid, invalid } of DIALECTS) {
  Deno.test(`a schema: ${name}`, async () => {
    const Text = { type: "string", ...openapi === "3.1.0" ? { $anchor: "text" } : {} };
    const check = await checkerOf({ Main: schema, Text, Named: { properties: { name: { type: "string" } } } }, openapi);
    for (const value of valid) assert.deepEqual(check(value), [], JSON.stringify(value));
    for (const value of invalid) assert.notDeepEqual(check(value), [], JSON.stringify(value));
  });
}

Deno.test("a schema: jsonSchemaDialect sets the default dialect", async () => {
  const schemas = { Main: { $ref: "#/components/schemas/Text", maxLength: 1 }, Text: { type: "string" } };
  const draft7 = await checkerOf(schemas, "3.1.0", { jsonSchemaDialect: "http://json-schema.org/draft-07/schema#" });
  assert.deepEqual(draft7("abc"), []);
});

Deno.test("a schema: $dynamicRef resolves to the outermost $dynamicAnchor of its name", async () => {
  const check = await checkerOf({
    Main: {
      $id: "https://example.com/strict",
      $dynamicAnchor: "node",
      $ref: "https://example.com/tree",
      unevaluatedProperties: false,
    },
    Tree: {
      $id: "https://example.com/tree",
      $dynamicAnchor: "node",
      type: "object",
      properties: { value: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
    },
  });
  assert.deepEqual(check({ children: [{ value: 1 }] }), []);
  assert.equal(check({ children: [{ valeu: 1 }] })[0], "/children/0 unevaluatedProperties");
});

const ACCOUNT = {
  type: "object",
  required: ["id", "password"],
  properties: {
    id: { type: "integer", readOnly: true },
    password: { type: "string", writeOnly: true },
    name: { type: "string" },
  },
};
const DIRECTIONS: { name: string; schemas: Record<string, unknown> }[] = [
  { name: "in the schema itself", schemas: { Main: ACCOUNT } },
  { name: "in a member of allOf", schemas: { Main: { allOf: [{ $ref: "#/components/schemas/A" }] }, A: ACCOUNT } },
  {
    name: "said by another member of allOf than the one that requires it",
    schemas: {
      Main: { allOf: [{ required: ["id", "password"] }, { $ref: "#/components/schemas/A" }] },
      A: { ...ACCOUNT, required: [] },
    },
  },
  {
    name: "said by the schema that the property refers to",
    schemas: {
      Main: {
        ...ACCOUNT,
        properties: {
          id: { $ref: "#/components/schemas/Id" },
          password: { allOf: [{ $ref: "#/components/schemas/P" }] },
        },
      },
      Id: { readOnly: true },
      P: { writeOnly: true },
    },
  },
];

for (const { name, schemas } of DIRECTIONS) {
  Deno.test(`a schema: readOnly and writeOnly properties belong to one direction: ${name}`, async () => {
    const check = await checkerOf(schemas);
    assert.deepEqual(check({ id: 1 }, "response"), []);
    assert.deepEqual(check({ password: "x" }, "request"), []);
    assert.deepEqual(check({ id: 1, password: "x" }, "response"), ["/password writeOnly"]);
    assert.deepEqual(check({ id: 1, password: "x" }, "request"), ["/id readOnly"]);
    assert.deepEqual(check({}, "response"), [" required"]);
    assert.deepEqual(check({}, "request"), [" required"]);
  });
}

Deno.test("a violation has its place in the value and in the definition", async () => {
  const document = await parseDocument(
    "openapi: 3.0.3\npaths: {}\ncomponents: {schemas: {Main: {items: {properties: {a/b: {type: integer}}}}}}",
  );
  const main = ["components", "schemas", "Main"].reduce<Node>((node, key) => child(node, key), document.root);
  const violations = (await createDocumentValidator(document)).checkOf(main, "response")([{}, { "a/b": "x" }]);
  assert.deepEqual(violations, [{
    path: ["1", "a/b"],
    keyword: "type",
    message: "must be integer",
    schema: "/components/schemas/Main/items/properties/a~1b/type",
  }]);
});

const FORMATS: { format: string; valid: unknown[]; invalid: unknown[] }[] = [
  { format: "int8", valid: [-128, 127, "a"], invalid: [128, 1.5] },
  { format: "int32", valid: [-2147483648, 2147483647], invalid: [2147483648, 0.5] },
  // JSON.parse() reads 2^63 - 1, the largest `int64`, as 2^63.
  { format: "int64", valid: [2 ** 62, -(2 ** 63), JSON.parse("9223372036854775807")], invalid: [2 ** 63 + 2048, 1.5] },
  { format: "uint8", valid: [0, 255], invalid: [-1, 256] },
  { format: "uint64", valid: [2 ** 63, JSON.parse("18446744073709551615")], invalid: [2 ** 64 + 4096, -1] },
  { format: "float", valid: [1.5, 3e38], invalid: [4e38] },
  { format: "double", valid: [1.5, 1e300], invalid: [] },
  { format: "date-time", valid: ["2025-01-01T00:00:00Z"], invalid: ["2025-01-01", "2025-13-01T00:00:00Z"] },
  { format: "date-time-local", valid: ["2025-01-01T00:00:00"], invalid: ["2025-01-01T00:00:00Z"] },
  { format: "time-local", valid: ["10:00:00"], invalid: ["10:00:00Z", "25:00:00"] },
  { format: "http-date", valid: ["Sun, 06 Nov 1994 08:49:37 GMT"], invalid: ["1994-11-06"] },
  { format: "iri", valid: ["https://example.com/größe"], invalid: ["größe"] },
  { format: "idn-email", valid: ["jürgen@müller.de"], invalid: ["jürgen"] },
  { format: "idn-hostname", valid: ["müller.de"], invalid: ["-a.de", "a b"] },
  { format: "base64url", valid: ["ab-_"], invalid: ["ab+/"] },
  { format: "char", valid: ["ü", "👍"], invalid: ["ab", ""] },
  { format: "decimal", valid: ["12.50"], invalid: ["12,50"] },
  { format: "media-range", valid: ["text/*;q=0.5", "*/*"], invalid: ["text"] },
  { format: "html", valid: ["<", "anything"], invalid: [] },
  { format: "of-my-own", valid: ["anything", 1], invalid: [] },
];

for (const { format, valid, invalid } of FORMATS) {
  Deno.test(`a schema: format ${format}`, async () => {
    const check = await checkerOf({ Main: { format } });
    for (const value of valid) assert.deepEqual(check(value), [], JSON.stringify(value));
    for (const value of invalid) assert.deepEqual(check(value), [" format"], JSON.stringify(value));
  });
}

const THING = { type: "object", required: ["x"], properties: { x: { type: "integer" } } };
const things = (x: (index: number) => unknown): unknown[] =>
  Array.from({ length: 300_000 }, (_, index) => ({ x: x(index) }));
const MANY: { name: string; schema: unknown; value: () => unknown; violations: number }[] = [
  {
    name: "different objects",
    schema: { type: "array", uniqueItems: true, items: { $ref: "#/components/schemas/Thing" } },
    value: () => things((index) => index),
    violations: 0,
  },
  {
    name: "objects of which the last is the first again",
    schema: { type: "array", uniqueItems: true },
    value: () => [...things((index) => index), { x: 0 }],
    violations: 1,
  },
  {
    name: "objects that are all at fault",
    schema: { type: "array", items: { $ref: "#/components/schemas/Thing" } },
    value: () => things(String),
    violations: 100,
  },
  {
    name: "objects that fit no branch",
    schema: { type: "array", items: { oneOf: [{ $ref: "#/components/schemas/Thing" }, { type: "string" }] } },
    value: () => things(String),
    violations: 100,
  },
];

for (const { name, schema, value, violations } of MANY) {
  Deno.test(`a schema is checked in steps that grow with the value: ${name}`, async () => {
    const check = await checkerOf({ Main: schema, Thing: THING });
    // If the limit of steps was exceeded, the result would be one violation without a keyword.
    assert.equal(check(value()).filter((violation) => !violation.endsWith(" schema")).length, violations);
  });
}

for (
  const [value, want] of [
    [{ a: 1 }, []],
    [{ a: 1, b: 1 }, ["/ oneOf: fits 2 schemas of oneOf; exactly one is allowed"]],
    [{ a: 1, b: 1, c: 1 }, ["/ oneOf: fits 3 schemas of oneOf; exactly one is allowed"]],
  ] as const
) {
  Deno.test(`a violation of oneOf says how many schemas ${JSON.stringify(value)} fits`, async () => {
    const document = await parseDocument(JSON.stringify({
      openapi: "3.1.0",
      components: { schemas: { Main: { oneOf: ["a", "b", "c", "d"].map((name) => ({ required: [name] })) } } },
    }));
    const node = ["components", "schemas", "Main"].reduce<Node>((parent, key) => child(parent, key), document.root);
    const found = (await createDocumentValidator(document)).checkOf(node, "request")(value);
    assert.deepEqual(found.map(({ path, keyword, message }) => `/${path.join("/")} ${keyword}: ${message}`), want);
  });
}
