import assert from "node:assert/strict";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";
import { LONGEST_JSON_CONTENT } from "../../../../lib/schema/json/json_content.ts";
import { child, type Node } from "../../../../lib/schema/json/node.ts";

/**
 * Makes `check(value)`, which validates against the schema `Main` and returns each violation's path, keyword and
 * message.
 */
async function checkerOf(
  Main: unknown,
  { openapi = "3.1.0", ...fields }: Record<string, unknown> = {},
): Promise<(value: unknown) => string[]> {
  const schemas = { Main, Order: ORDER };
  const document = await parseDocument(JSON.stringify({ openapi, paths: {}, components: { schemas }, ...fields }));
  const main: Node = ["components", "schemas", "Main"].reduce<Node>((node, key) => child(node, key), document.root);
  const check = (await createDocumentValidator(document)).checkOf(main, "response");
  return (value) => check(value).map(({ path, keyword, message }) => `/${path.join("/")} ${keyword}: ${message}`);
}

const ORDER = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
const TEXT = {
  type: "string",
  contentMediaType: "application/json",
  contentSchema: { $ref: "#/components/schemas/Order" },
};
const BASE64 = { ...TEXT, contentEncoding: "base64" };

const TEXTS: { name: string; schema: unknown; value: unknown; want: string[] }[] = [
  { name: "holds what its schema wants", schema: TEXT, value: ' {"id": 1} ', want: [] },
  {
    name: "holds a value that its schema refuses",
    schema: { properties: { data: TEXT } },
    value: { data: '{"id": "x"}' },
    want: ["/data/id type: must be integer"],
  },
  {
    name: "is no JSON",
    schema: { properties: { data: TEXT } },
    value: { data: "id" },
    want: [
      "/data contentMediaType: must hold JSON (application/json), but is not JSON: Unexpected token 'i', \"id\" is not valid JSON",
    ],
  },
  {
    name: "holds JSON of a media type with the suffix +json",
    schema: { ...TEXT, contentMediaType: "application/vnd.shop+json; v=1" },
    value: "{}",
    want: ["/ required: must have required property 'id'"],
  },
  { name: "holds another media type", schema: { ...TEXT, contentMediaType: "text/xml" }, value: "<id/>", want: [] },
  { name: "is in a coding that isn't known", schema: { ...TEXT, contentEncoding: "rot13" }, value: "{}", want: [] },
  { name: "is in base64", schema: BASE64, value: btoa('{"id":1}'), want: [] },
  {
    name: "is in base64, with a value that its schema refuses",
    schema: BASE64,
    value: btoa("{}"),
    want: ["/ required: must have required property 'id'"],
  },
  {
    name: "is to be in base64",
    schema: BASE64,
    value: "{}",
    want: ["/ contentMediaType: must hold JSON (application/json), but is not base64 of UTF-8"],
  },
  {
    name: "holds JSON text in its JSON text",
    schema: { ...TEXT, contentSchema: { items: TEXT } },
    value: '["{\\"id\\": 1}", "{\\"id\\": 1.5}"]',
    want: ["/1/id type: must be integer"],
  },
  {
    name: "belongs to a branch",
    schema: {
      properties: { data: { type: "string" } },
      oneOf: [
        { properties: { event: { const: "text" } } },
        { properties: { event: { const: "order" }, data: TEXT } },
      ],
    },
    value: { event: "order", data: '{"id": 1}' },
    want: [],
  },
  {
    name: "holds what only the string itself must fit",
    schema: { type: ["string", "object"], contentMediaType: "application/json", contentSchema: { type: "object" } },
    value: { a: 1 },
    want: [],
  },
  {
    name: "describes itself",
    schema: {
      type: ["string", "array"],
      contentMediaType: "application/json",
      contentSchema: { $ref: "#/components/schemas/Main" },
      items: { $ref: "#/components/schemas/Main" },
    },
    value: '["[]", "x"]',
    want: [
      "/1 contentMediaType: must hold JSON (application/json), but is not JSON: Unexpected token 'x', \"x\" is not valid JSON",
    ],
  },
  {
    name: "is nested too deep",
    schema: { ...TEXT, contentSchema: {} },
    value: "[".repeat(1000) + "]".repeat(1000),
    want: ["/ contentMediaType: must hold JSON (application/json), but is nested more than 500 deep"],
  },
  {
    name: "is as long as one that is parsed",
    schema: { ...TEXT, contentSchema: {} },
    value: " ".repeat(LONGEST_JSON_CONTENT),
    want: [
      "/ contentMediaType: must hold JSON (application/json), but is not JSON: Unexpected end of JSON input",
    ],
  },
  {
    name: "is too long to be parsed",
    schema: { ...TEXT, contentSchema: {} },
    value: `${" ".repeat(LONGEST_JSON_CONTENT)}1`,
    want: [
      "/ contentMediaType: must hold JSON (application/json), but can't be checked: it is longer than 1000000 characters",
    ],
  },
  {
    name: "holds as many values as it can",
    schema: { ...TEXT, contentSchema: { items: { anyOf: [{ type: "string" }, { type: "integer" }] } } },
    value: `[${"1,".repeat(100_000)}1]`,
    want: [],
  },
];

for (const { name, schema, value, want } of TEXTS) {
  Deno.test(`contentSchema: a string that ${name}`, async () => {
    assert.deepEqual((await checkerOf(schema))(value), want);
  });
}

const DIALECTS: {
  name: string;
  fields: Record<string, unknown>;
  schema?: Record<string, unknown>;
  asserts: boolean;
}[] = [
  { name: "OpenAPI 3.1", fields: { openapi: "3.1.1" }, asserts: true },
  { name: "OpenAPI 3.2", fields: { openapi: "3.2.0" }, asserts: true },
  {
    name: "OpenAPI's dialect by its name",
    fields: { jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base" },
    asserts: true,
  },
  { name: "OpenAPI 3.0", fields: { openapi: "3.0.3" }, asserts: false },
  {
    name: "JSON Schema 2020-12",
    fields: { jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema" },
    asserts: false,
  },
  {
    name: "JSON Schema 2019-09",
    fields: {},
    schema: { $schema: "https://json-schema.org/draft/2019-09/schema" },
    asserts: false,
  },
  { name: "draft 7", fields: {}, schema: { $schema: "http://json-schema.org/draft-07/schema#" }, asserts: false },
];

for (const { name, fields, schema, asserts } of DIALECTS) {
  Deno.test(`contentSchema is ${asserts ? "asserted" : "not asserted"} in ${name}`, async () => {
    const check = await checkerOf({ ...TEXT, ...schema }, fields);
    assert.equal(check("no JSON").length, asserts ? 1 : 0);
    assert.deepEqual(check('{"id": 1}'), []);
  });
}
