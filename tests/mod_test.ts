import assert from "node:assert/strict";
import type { OpenAPIV2, OpenAPIV3, OpenAPIV3_1 } from "openapi-types";
import * as library from "../mod.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get:
      responses:
        "200":
          description: A pet.
          content:
            application/json: {schema: {$ref: "#/components/schemas/Pet"}}
            application/xml: {schema: {$ref: "#/components/schemas/Pet"}}
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties: {name: {type: string, pattern: "^[A-Z][a-z]+$"}, born: {type: string, format: date}}
`;

Deno.test("mod.ts exports what its users need, and nothing else", () => {
  assert.deepEqual(Object.keys(library).sort(), [
    "BrokenConnectionError",
    "ReferencePolicy",
    "StateFullError",
    "createMock",
    "createMockServer",
    "createRouter",
    "generateBody",
    "parseDocument",
    "parseOverlay",
    "validateDocument",
  ]);
});

Deno.test({
  name: "the library needs no permissions",
  permissions: "none",
  fn: async () => {
    const document = await library.parseDocument(DEFINITION);
    assert.deepEqual(await library.validateDocument(document), []);
    const mock = library.createMock(document, { validate: "error" });
    const pet = await mock(new Request("http://localhost/pets/7"));
    assert.equal(pet.status, 200);
    assert.match((await pet.json()).name, /^[A-Z][a-z]+$/);
    const xml = await mock(new Request("http://localhost/pets/7", { headers: { accept: "application/xml" } }));
    assert.match(await xml.text(), /<name>[A-Z][a-z]+<\/name>/);
    const body = await library.generateBody(document, "/components/schemas/Pet", { seed: 3 });
    assert.equal(body.kind, "body");
    const broken = await library.parseDocument(": :\n- [");
    assert.ok(broken.diagnostics.length > 0);
    const swagger = await library.parseDocument(
      '{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {}}',
    );
    assert.equal(swagger.version, "2.0");
  },
});

Deno.test("createMock() takes a definition that is an object", async (t) => {
  const example = { name: "Tom" };
  const content = { "application/json": { example } };
  const paths = { "/pets": { get: { responses: { "200": { description: "A pet.", content } } } } };
  const info = { title: "Pets", version: "1.0.0" };
  const cases: [string, library.DefinitionObject][] = [
    ["OpenAPI 3.0", { openapi: "3.0.4", info, paths } satisfies OpenAPIV3.Document],
    ["OpenAPI 3.1", { openapi: "3.1.1", info, paths } satisfies OpenAPIV3_1.Document],
    [
      "Swagger 2.0",
      {
        swagger: "2.0",
        info,
        produces: ["application/json"],
        paths: {
          "/pets": {
            get: { responses: { "200": { description: "A pet.", examples: { "application/json": example } } } },
          },
        },
      } satisfies OpenAPIV2.Document,
    ],
  ];
  for (const [name, definition] of cases) {
    await t.step(name, async () => {
      const mock = library.createMock(definition);
      const [first, second] = await Promise.all(
        [1, 2].map(async () => await (await mock(new Request("http://localhost/pets"))).json()),
      );
      assert.deepEqual([first, second], [example, example]);
    });
  }
});
