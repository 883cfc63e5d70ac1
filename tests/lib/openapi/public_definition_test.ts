import assert from "node:assert/strict";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { publicDefinition } from "../../../lib/openapi/public_definition.ts";

/** The published form of a definition, which must have no errors. */
async function publish(text: string): Promise<Record<string, unknown>> {
  const published = publicDefinition(await parseDocument(text));
  const { diagnostics } = await parseDocument(JSON.stringify(published));
  assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
  return Object(published);
}

const HEAD = "openapi: 3.1.0\ninfo: {title: Shop, version: '1', x-logo: logo.png, contact: {name: Us, x-phone: 7}}\n";
const OK = '{"200": {description: Fine.}}';

Deno.test("publicDefinition() leaves out extensions, and keeps names that begin with x-", async () => {
  const { info, paths, components, ...rest } = await publish(`${HEAD}
x-svc: {mocking: {enabled: true}}
x-internal: {owner: team}
tags: [{name: pets, x-order: 1}]
servers: [{url: "https://example.com/{x-base}", x-env: prod, variables: {x-base: {default: v1, x-why: history}}}]
security: [{x-api-key: []}]
paths:
  x-paths: hidden
  /pets:
    x-owner: pets
    get:
      x-codegen: {a: 1}
      parameters:
        - {name: x-request-id, in: header, x-a: 1, schema: {type: string, x-b: 2, default: x-c}, example: {x-data: 1}}
      responses:
        x-responses: hidden
        "200":
          description: Fine.
          headers: {x-total: {schema: {type: integer, x-unit: pets}}}
          content:
            application/json:
              schema:
                type: object
                properties: {x-name: {type: string, x-hidden: true}, default: {x-hidden: 1, type: string}, security: {$ref: '#/components/schemas/x-pet'}}
                patternProperties: {x-: {type: string}}
                dependentRequired: {x-name: [default]}
                examples: [{x-name: Tom}]
                enum: [{x-name: Tom}]
              encoding: {x-name: {contentType: text/plain, x-a: 1}}
              examples: {x-one: {x-svc: {mocking: {match: {path.id: 3}}}, value: {x-name: Tom, x-svc: data}}}
components:
  x-components: hidden
  schemas: {x-pet: {type: object, x-c: 1, discriminator: {propertyName: a, mapping: {x-a: x-pet}}, const: {x-d: 1}}}
  responses: {x-error: {description: Oh., x-e: 1}}
  securitySchemes: {x-api-key: {type: apiKey, in: header, name: X-Api-Key, x-f: 1}}
`);
  assert.deepEqual(info, { title: "Shop", version: "1", contact: { name: "Us" } });
  assert.deepEqual(rest, {
    openapi: "3.1.0",
    tags: [{ name: "pets" }],
    servers: [{ url: "https://example.com/{x-base}", variables: { "x-base": { default: "v1" } } }],
    security: [{ "x-api-key": [] }],
  });
  assert.deepEqual(paths, {
    "/pets": {
      get: {
        parameters: [{
          name: "x-request-id",
          in: "header",
          schema: { type: "string", default: "x-c" },
          example: { "x-data": 1 },
        }],
        responses: {
          "200": {
            description: "Fine.",
            headers: { "x-total": { schema: { type: "integer" } } },
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    "x-name": { type: "string" },
                    default: { type: "string" },
                    security: { $ref: "#/components/schemas/x-pet" },
                  },
                  patternProperties: { "x-": { type: "string" } },
                  dependentRequired: { "x-name": ["default"] },
                  examples: [{ "x-name": "Tom" }],
                  enum: [{ "x-name": "Tom" }],
                },
                encoding: { "x-name": { contentType: "text/plain" } },
                examples: { "x-one": { value: { "x-name": "Tom", "x-svc": "data" } } },
              },
            },
          },
        },
      },
    },
  });
  assert.deepEqual(components, {
    schemas: {
      "x-pet": {
        type: "object",
        discriminator: { propertyName: "a", mapping: { "x-a": "x-pet" } },
        const: { "x-d": 1 },
      },
    },
    responses: { "x-error": { description: "Oh." } },
    securitySchemes: { "x-api-key": { type: "apiKey", in: "header", name: "X-Api-Key" } },
  });
});

Deno.test("publicDefinition() leaves out disabled operations, and components that only they use", async () => {
  const { paths, components, tags } = await publish(`${HEAD}
x-svc: {mocking: {enabled: true}}
tags: [{name: pets}, {name: admin}, {name: nobody}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      security: [{key: []}]
      responses:
        "200":
          description: Pets.
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
          links: {erase: {operationId: eraseAll}, list: {operationId: listPets}, byRef: {operationRef: "#/paths/~1admin/delete"}}
    delete: {operationId: eraseAll, tags: [admin], x-svc: {disabled: true}, security: [{root: []}], responses: {"200": {$ref: "#/components/responses/Erased"}}}
  /admin:
    x-svc: {disabled: true}
    parameters: [{$ref: "#/components/parameters/Secret"}]
    get: {tags: [admin], responses: {"200": {description: Secrets., content: {application/json: {schema: {$ref: "#/components/schemas/Secret"}}}}}}
    delete: {responses: ${OK}}
  /half:
    x-svc: {disabled: true}
    get: {x-svc: {disabled: false}, responses: ${OK}}
    put: {responses: ${OK}}
  /none: {summary: Nothing yet.}
components:
  schemas:
    Pet: {type: object, properties: {kind: {$ref: "#/components/schemas/Kind"}}}
    Kind: {type: string}
    Secret: {type: object, properties: {inner: {$ref: "#/components/schemas/Inner"}, kind: {$ref: "#/components/schemas/Kind"}}}
    Inner: {type: string}
    Unused: {$ref: "#/components/schemas/OfUnused"}
    OfUnused: {type: string}
    Dog: {allOf: [{$ref: "#/components/schemas/Pet"}]}
  parameters: {Secret: {name: secret, in: query, schema: {type: string}}}
  responses: {Erased: {description: Gone., content: {application/json: {schema: {$ref: "#/components/schemas/Inner"}}}}}
  securitySchemes: {key: {type: http, scheme: bearer}, root: {type: http, scheme: basic}}
`);
  assert.deepEqual(Object.entries(Object(paths)).map(([path, item]) => [path, ...Object.keys(Object(item))]), [
    ["/pets", "get"],
    ["/half", "get"],
    ["/none", "summary"],
  ]);
  assert.deepEqual(Object.keys(Object(paths)["/pets"].get.responses["200"].links), ["list"]);
  assert.deepEqual(tags, [{ name: "pets" }, { name: "nobody" }]);
  const names = Object.entries(Object(components)).map(([section, map]) => [section, ...Object.keys(Object(map))]);
  assert.deepEqual(names, [
    ["schemas", "Pet", "Kind", "Unused", "OfUnused", "Dog"],
    ["securitySchemes", "key"],
  ]);
});

Deno.test("publicDefinition() leaves out disabled operations however they are declared", async (t) => {
  const cases: [name: string, text: string][] = [
    ["the whole definition", `${HEAD}x-svc: {disabled: true}\npaths: {/a: {get: {summary: SECRET, responses: ${OK}}}}`],
    [
      "a path that is referred to",
      `${HEAD}paths: {/a: {$ref: "#/components/pathItems/A", x-svc: {disabled: true}}}\n` +
      `components: {pathItems: {A: {get: {summary: SECRET, responses: ${OK}}}}}`,
    ],
    [
      "an operation of a path that is referred to",
      `${HEAD}paths: {/a: {$ref: "#/components/pathItems/A"}}\ncomponents: {pathItems: {A: ` +
      `{get: {responses: ${OK}}, put: {x-svc: {disabled: true}, summary: SECRET, responses: ${OK}}}}}`,
    ],
    [
      "an operation of a bundled path",
      `${HEAD}paths: {/a: {$ref: "#/x-bundled/0"}}\nx-bundled: [` +
      `{get: {responses: ${OK}}, put: {x-svc: {disabled: true}, summary: SECRET, responses: ${OK}}}]`,
    ],
    [
      "schemas with names of their own",
      `${HEAD}paths: {/a: {get: {responses: ${OK}, requestBody: {content: {application/json: {schema: ` +
      `{$ref: "#secret"}}}}, x-svc: {disabled: true}}}}\ncomponents: {schemas: {A: {$anchor: secret, title: SECRET}}}`,
    ],
    [
      "Swagger 2.0",
      `swagger: "2.0"\ninfo: {title: Old, version: "1"}\npaths:\n  /a: {get: {x-svc: {disabled: true}, responses: {"200": ` +
      `{description: SECRET, schema: {$ref: "#/definitions/S"}}}}}\n  /b: {get: {responses: {"200": {description: B.}}}}\n` +
      `definitions: {S: {type: string, title: SECRET}}`,
    ],
    [
      "OpenAPI 3.2",
      `openapi: 3.2.0\ninfo: {title: New, version: "1"}\npaths:\n  /a: {get: {responses: ${OK}}, additionalOperations: ` +
      `{COPY: {summary: SECRET, x-svc: {disabled: true}, responses: ${OK}}, LINK: {responses: ${OK}}}}`,
    ],
  ];
  for (const [name, text] of cases) {
    await t.step(name, async () => assert.doesNotMatch(JSON.stringify(await publish(text)), /SECRET|x-svc/));
  }
});

Deno.test("publicDefinition() is of bounded size where parts of disabled operations share others", async () => {
  const at = (index: number): string => `"#/paths/~1d/get/responses/200/content/m~1${index}/schema"`;
  const content = Array.from(
    { length: 30 },
    (_, index) => `m/${index}: {schema: {allOf: [{$ref: ${at(index + 1)}}, {$ref: ${at(index + 1)}}]}}`,
  );
  const published = await publish(
    `${HEAD}paths:\n  /d: {x-svc: {disabled: true}, get: {responses: {"200": {description: D., content: {` +
      `${content.join(", ")}, m/30: {schema: {}}}}}}}\n  /a: {get: {responses: {"200": {description: A., content: ` +
      `{application/json: {schema: {$ref: ${at(0)}}}}}}}}`,
  );
  assert.ok(JSON.stringify(published).length < 100_000);
});

Deno.test("publicDefinition() contains the target of each reference", async (t) => {
  const schema = (reference: string): string =>
    `{get: {responses: {"200": {description: A., content: {application/json: {schema: {$ref: "${reference}"}}}}}}}`;
  const cases: [name: string, text: string, want: RegExp][] = [
    [
      "a bundled text",
      `${HEAD}paths: {/a: ${
        schema("#/x-bundled/1/Pet")
      }}\nx-bundled: [{Cat: {title: CAT}}, {Pet: {title: PET, properties: ` +
      `{next: {$ref: "#/x-bundled/1/Pet"}, kind: {$ref: "#/x-bundled/1/Kind"}}, x-a: 1}, Kind: {title: KIND}, Other: {title: O}}]`,
      /"x-bundled":\[\{\},\{"Pet":\{"title":"PET","properties":\{.*\}\},"Kind":\{"title":"KIND"\}\}\]/,
    ],
    [
      "a part of a disabled operation",
      `${HEAD}paths:\n  /a: ${
        schema("#/paths/~1b/get/responses/200/content/application~1json/schema")
      }\n  /b: {x-svc: ` +
      `{disabled: true}, get: {responses: {"200": {description: B., content: {application/json: {schema: {title: B}}}}}}}`,
      /"schema":\{"title":"B"\}/,
    ],
    [
      "a part of a disabled operation that refers to itself",
      `${HEAD}paths:\n  /a: ${
        schema("#/paths/~1b/get/responses/200/content/application~1json/schema")
      }\n  /b: {x-svc: ` +
      `{disabled: true}, get: {responses: {"200": {description: B., content: {application/json: {schema: {title: B, items: ` +
      `{$ref: "#/paths/~1b/get/responses/200/content/application~1json/schema"}}}}}}}}`,
      /"schema":\{"title":"B","items":\{\}\}/,
    ],
  ];
  for (const [name, text, want] of cases) {
    await t.step(name, async () => assert.match(JSON.stringify(await publish(text)), want));
  }
});
