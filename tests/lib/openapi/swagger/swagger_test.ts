import assert from "node:assert/strict";
import { child } from "../../../../lib/schema/json/node.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations, type Operation } from "../../../../lib/openapi/operation.ts";
import { follow } from "../../../../lib/schema/json/reference.ts";
import { locateDiagnostics } from "../../../../lib/openapi/diagnostic.ts";

const TEXT = `swagger: "2.0"
info: {title: Pets, version: "1"}
host: api.example.com
basePath: /v1
schemes: [https]
produces: [application/json]
parameters:
  pet: {name: pet, in: body, required: true, schema: {$ref: '#/definitions/Pet'}}
responses:
  Pets:
    description: Pets
    schema: {type: array, items: {$ref: '#/definitions/Pet'}}
    examples:
      application/json: [{name: Tom}]
definitions:
  Pet:
    required: [name]
    properties:
      name: {type: string, x-nullable: true}
paths:
  /pets:
    get:
      responses:
        200: {$ref: '#/responses/Pets'}
    post:
      parameters:
        - $ref: '#/parameters/pet'
      responses:
        201: {description: made}
  /pets/{id}/photo:
    get:
      produces: [image/png]
      parameters: [{name: id, in: path, required: true, type: integer}]
      responses:
        200: {description: photo, schema: {type: file}}
`;

async function read(): Promise<{ document: Document; operation: (name: string) => Operation }> {
  const document = await parseDocument(TEXT);
  const operations = new Map(
    listOperations(document).map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
  return {
    document,
    operation: (name) => operations.get(name) ?? assert.fail(name),
  };
}

Deno.test("parseDocument() reads Swagger 2.0 as OpenAPI 3.0", async () => {
  const { document, operation } = await read();
  assert.equal(document.version, "2.0");
  assert.deepEqual(document.diagnostics, []);
  assert.deepEqual(child(document.root, "servers").value, [{ url: "https://api.example.com/v1" }]);
  assert.equal(child(document.written, "basePath").value, "/v1");

  const pets = follow(document, child(child(operation("GET /pets").node, "responses"), "200"));
  const media = child(child(pets, "content"), "application/json");
  assert.deepEqual(child(media, "example").value, [{ name: "Tom" }]);
  const photo = child(child(operation("GET /pets/{id}/photo").node, "responses"), "200");
  assert.deepEqual(Object.keys(child(photo, "content").value as object), ["image/png"]);
});

Deno.test("parseDocument() reads a body parameter by reference", async () => {
  const { document, operation } = await read();
  const { node } = operation("POST /pets");
  assert.deepEqual(child(node, "parameters").value, []);
  const body = follow(document, child(node, "requestBody"));
  assert.deepEqual(child(child(child(body, "content"), "application/json"), "schema").value, {
    $ref: "#/components/schemas/Pet",
  });
});

Deno.test("diagnostics of Swagger 2.0 have places in the original text", async () => {
  const { document } = await read();
  const { source } = document.root;
  const lineOf = (pointer: string): number | undefined =>
    locateDiagnostics([{ severity: "error", code: "syntax", message: "", source, pointer }])[0]?.line;
  assert.equal(lineOf("/components/schemas/Pet/properties/name"), 19);
  assert.equal(lineOf("/components/responses/Pets/content/application~1json/schema"), 12);
  assert.equal(lineOf("/components/responses/Pets/content/application~1json/example"), 14);
  assert.equal(lineOf("/paths/~1pets~1{id}~1photo/get/responses/200/content/image~1png/schema"), 35);
});

Deno.test("parseDocument() offers a response of Swagger 2.0 in all media types that it produces", async (t) => {
  const cases: { what: string; top?: string; get: string; want: Record<string, unknown> }[] = [
    {
      what: "an example for the second, and a schema that says little",
      get: "produces: [application/json, text/csv], responses: {200: {description: A, schema: {type: object}, " +
        "examples: {text/csv: a}}}",
      want: {
        "application/json": { schema: { type: "object" } },
        "text/csv": { schema: { type: "object" }, example: "a" },
      },
    },
    {
      what: "an example of a type that isn't declared",
      get: "produces: [application/json], responses: {200: {description: A, schema: {}, examples: {text/csv: a}}}",
      want: { "application/json": { schema: {} }, "text/csv": { example: "a" } },
    },
    {
      what: "media types of the definition",
      top: "produces: [application/json, text/csv]",
      get: "responses: {200: {description: A, schema: {type: array}, examples: {application/json: []}}}",
      want: {
        "application/json": { schema: { type: "array" }, example: [] },
        "text/csv": { schema: { type: "array" } },
      },
    },
    {
      what: "a response that others share",
      top: "produces: [application/json, text/csv]\n" +
        "responses: {A: {description: A, schema: {type: object}, examples: {text/csv: a}}}",
      get: "responses: {200: {$ref: '#/responses/A'}}",
      want: {
        "application/json": { schema: { type: "object" } },
        "text/csv": { schema: { type: "object" }, example: "a" },
      },
    },
    { what: "no schema", get: "produces: [text/csv], responses: {200: {description: A}}", want: {} },
    {
      what: "names of the prototype",
      get: "produces: [__proto__], responses: {200: {description: A, schema: {}}, __proto__: {schema: {}}}",
      want: JSON.parse('{"__proto__": {"schema": {}}}'),
    },
  ];
  for (const { what, top = "", get, want } of cases) {
    await t.step(what, async () => {
      const text = `swagger: "2.0"\ninfo: {title: T, version: "1"}\n${top}\npaths: {/a: {get: {${get}}}}\n`;
      const document = await parseDocument(text);
      const [operation] = listOperations(document);
      assert.ok(operation !== undefined);
      const response = follow(document, child(child(operation.node, "responses"), "200"));
      assert.deepEqual(child(response, "content").value ?? {}, want);
      assert.equal(({} as Record<string, unknown>)["content"], undefined);
    });
  }
});

Deno.test("parseDocument() converts Swagger 2.0 whose parameters are no list", async () => {
  const document = await parseDocument(`
swagger: "2.0"
info: {title: T, version: "1"}
paths:
  /a:
    parameters: {$ref: "#/paths/~1a/parameters"}
    get: {parameters: {name: id, in: query, type: string}, responses: {200: {description: A}}}
    put: {parameters: null, responses: {200: {description: A}}}
`);
  assert.deepEqual(document.diagnostics.filter(({ code }) => code === "bad-swagger"), []);
  assert.equal(listOperations(document).length, 2);
});
