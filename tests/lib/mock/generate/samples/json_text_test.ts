import assert from "node:assert/strict";
import { createDocumentValidator } from "../../../../../lib/schema/document_validator.ts";
import { documentOf, generate, type Schemas, validBodyOf } from "../generated.ts";

const ID = { type: "object", required: ["id"], properties: { id: { const: 1 }, name: { const: "Puma" } } };
const TEXT = { type: "string", contentMediaType: "application/json", contentSchema: ID };

const TEXTS: { name: string; schemas: Schemas; want: unknown }[] = [
  { name: "has the value that contentSchema wants", schemas: { Main: TEXT }, want: '{"id":1,"name":"Puma"}' },
  { name: "needs no type", schemas: { Main: { ...TEXT, type: undefined } }, want: '{"id":1,"name":"Puma"}' },
  {
    name: "leaves optional properties out for maxLength",
    schemas: { Main: { ...TEXT, maxLength: 10 } },
    want: '{"id":1}',
  },
  {
    name: "is filled up with spaces for minLength",
    schemas: { Main: { ...TEXT, minLength: 25 } },
    want: '{"id":1,"name":"Puma"}   ',
  },
  {
    name: "is within both lengths",
    schemas: { Main: { ...TEXT, minLength: 9, maxLength: 10 } },
    want: '{"id":1} ',
  },
  {
    name: "is indented for a pattern",
    schemas: { Main: { ...TEXT, pattern: '^\\{\\n  "id": 1' } },
    want: '{\n  "id": 1,\n  "name": "Puma"\n}',
  },
  {
    name: "is in base64",
    schemas: { Main: { ...TEXT, contentEncoding: "base64" } },
    want: btoa('{"id":1,"name":"Puma"}'),
  },
  {
    name: "is in base64url of a least length",
    schemas: { Main: { ...TEXT, contentEncoding: "base64url", minLength: 31 } },
    want: btoa('{"id":1,"name":"Puma"}  ').replaceAll("=", ""),
  },
  {
    name: "is an object where any JSON is meant",
    schemas: { Main: { type: "string", contentMediaType: "application/json" } },
    want: "{}",
  },
  {
    name: "holds JSON text in its JSON text",
    schemas: { Main: { ...TEXT, contentSchema: { type: "object", properties: { text: TEXT } } } },
    want: '{"text":"{\\"id\\":1,\\"name\\":\\"Puma\\"}"}',
  },
  {
    name: "fits the schemas of allOf together",
    schemas: {
      Main: { allOf: [TEXT, { ...TEXT, contentSchema: { properties: { more: { const: true } } } }] },
    },
    want: '{"id":1,"name":"Puma","more":true}',
  },
  {
    name: "takes an example that fits before it",
    schemas: { Main: { properties: { a: { ...TEXT, example: "no" }, b: { ...TEXT, example: '{"id": 1}' } } } },
    want: { a: '{"id":1,"name":"Puma"}', b: '{"id": 1}' },
  },
  {
    name: "ends where it recurs",
    schemas: {
      Main: {
        type: "object",
        properties: {
          id: { const: 1 },
          parent: {
            type: "string",
            contentMediaType: "application/json",
            contentSchema: { $ref: "#/components/schemas/Main" },
          },
        },
      },
    },
    want: { id: 1 },
  },
];

Deno.test("a generated JSON text", async (t) => {
  for (const { name, schemas, want } of TEXTS) {
    await t.step(name, async () => {
      const body = await validBodyOf(schemas);
      assert.deepEqual(body, want);
      // Ajv doesn't validate `contentSchema`: for JSON Schema, it is an annotation.
      const { document, main } = await documentOf(schemas);
      assert.deepEqual((await createDocumentValidator(document)).checkOf(main, "response")(body), []);
    });
  }
});

Deno.test("generateBody() refuses JSON text that is nested in JSON text too often", async () => {
  let schema: unknown = { const: '""' };
  for (let level = 0; level < 40; level++) {
    schema = { type: "string", contentMediaType: "application/json", contentSchema: schema };
  }
  const body = await generate({ Main: schema });
  assert.deepEqual(body.kind === "impossible" && body.reason, "its JSON text became too long");
});
