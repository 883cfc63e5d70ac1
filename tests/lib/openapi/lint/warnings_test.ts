import assert from "node:assert/strict";
import { checkDeployment } from "../../../../lib/gateway/check_deployment.ts";
import { validateDocument } from "../../../../lib/mock/lint/validate_document.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import type { RuleCode } from "../../../../lib/openapi/rules.ts";

/** Marks each place where a diagnostic is expected. Before a quoted scalar of YAML, the mark is inside the quotes. */
const MARK = "▸";

/** Definitions with diagnostics at the marks, and definitions without diagnostics. */
interface Case {
  code: RuleCode;
  bad: readonly string[];
  good: readonly string[];
}

const swagger = (rest: string): string => `swagger: "2.0"\ninfo: { title: Pets, version: "1" }\n${rest}`;
const openapi = (version: string, rest: string): string =>
  `openapi: ${version}\ninfo: { title: Pets, version: "1" }\n${rest.startsWith("paths") ? "" : "paths: {}\n"}${rest}`;
const schema = (pet: string, version = "3.0.3", others = ""): string =>
  openapi(
    version,
    `components:
  schemas:
    Pet: ${pet}
    Base: { type: object, properties: { id: { type: integer }, kind: { type: string } } }
${others}`,
  );
const operation = (fields: string, version = "3.0.3", rest = ""): string =>
  openapi(
    version,
    `paths:
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    post:
      operationId: addPet
      responses: { "200": { description: A pet. } }
${fields.split("\n").map((line) => `      ${line}`).join("\n")}
${rest}`,
  );
const response = (fields: string): string =>
  openapi(
    "3.0.3",
    `paths:
  /pets:
    get:
      operationId: listPets
      responses:
        "200":
          description: All pets.
${fields.split("\n").map((line) => `          ${line}`).join("\n")}
`,
  );

const CASES: readonly Case[] = [
  {
    code: "ignored-sibling",
    bad: [
      schema(`{ properties: { base: { $ref: "#/components/schemas/Base", ▸nullable: true } } }`),
      schema(`{ $ref: "#/components/schemas/Base", ▸description: A pet., type: object }`),
      operation(
        `requestBody: { $ref: "#/components/requestBodies/Pet", ▸required: true }`,
        "3.1.0",
        "components: { requestBodies: { Pet: { content: {} } } }",
      ),
      swagger(`paths: {}
definitions: { Pet: { properties: { base: { $ref: "#/definitions/Base", ▸description: Old. } } }, Base: {} }`),
    ],
    good: [
      schema(`{ properties: { base: { $ref: "#/components/schemas/Base", x-order: 1 } } }`),
      schema(`{ properties: { base: { $ref: "#/components/schemas/Base", description: New. } } }`, "3.1.0"),
      schema(`{ properties: { $ref: { type: string }, name: { type: string } } }`),
      operation(
        `requestBody: { $ref: "#/components/requestBodies/Pet", description: A pet. }`,
        "3.1.0",
        "components: { requestBodies: { Pet: { content: {} } } }",
      ),
    ],
  },
  {
    code: "bad-enum-value",
    bad: [
      schema("{ type: string, enum: [▸1, 2] }"),
      schema(`{ type: integer, enum: [1, "▸2"] }`),
      schema("{ type: string, enum: [a, ▸null] }"),
      schema("{ type: array, items: { type: string }, enum: [▸a, b] }"),
      schema(`{ type: [integer, "null"], enum: [1, null, ▸true] }`, "3.1.0"),
      swagger(`paths:
  /pets:
    get:
      parameters: [{ name: kind, in: query, type: array, items: { type: string, enum: [▸1] } }]
      responses: { "200": { description: Pets. } }`),
    ],
    good: [
      schema(`{ type: string, enum: ["1", a] }`),
      schema("{ type: string, nullable: true, enum: [a, null] }"),
      schema("{ type: number, enum: [1, 2.5] }"),
      schema("{ enum: [1, a, null] }"),
      schema(`{ type: [integer, "null"], enum: [1, null] }`, "3.1.0"),
    ],
  },
  {
    code: "duplicate-enum-value",
    bad: [schema("{ enum: [a, b, ▸a, a] }"), schema("{ enum: [{ a: 1, b: 2 }, ▸{ b: 2, a: 1 }] }", "3.1.0")],
    good: [schema(`{ enum: [1, "1", true, "true"] }`)],
  },
  {
    code: "nullable-without-type",
    bad: [
      schema("{ ▸nullable: true, properties: { id: {} } }"),
      schema(`{ properties: { base: { ▸nullable: true, allOf: [{ $ref: "#/components/schemas/Base" }] } } }`),
    ],
    good: [schema("{ type: object, nullable: true }"), schema("{ nullable: false, properties: { id: {} } }")],
  },
  {
    code: "array-without-items",
    bad: [
      schema("{ type: ▸array }"),
      operation(`requestBody: { content: { application/json: { schema: { type: ▸array, maxItems: 3 } } } }`),
      swagger(`paths: {}
definitions: { Pets: { type: ▸array } }`),
    ],
    good: [schema("{ type: array, items: {} }"), schema("{ type: array }", "3.1.0"), schema("{ type: object }")],
  },
  {
    code: "unmatched-pattern",
    bad: [
      schema(`{ type: string, pattern: '▸^${"a?".repeat(40)}(?<!b)$' }`),
      schema(`{ type: string, pattern: '▸^${"(a?)".repeat(40)}\\1$' }`),
      schema(`{ type: string, pattern: '▸${"(".repeat(300)}a${")".repeat(300)}' }`),
      schema(`{ type: object, patternProperties: { '▸^${"a?".repeat(40)}(?<!b)$': {} } }`, "3.1.0"),
      schema(`{ type: object, propertyNames: { pattern: '▸^${"a?".repeat(40)}(?<!b)$' } }`, "3.1.0"),
    ],
    good: [
      schema(`{ type: string, pattern: '^(?!\\s).*(?<!\\s)$' }`),
      schema(`{ type: string, pattern: '^(a+)+b$' }`),
      schema(`{ type: string, pattern: '${"a?".repeat(100)}${"a".repeat(100)}' }`),
      schema(`{ type: object, patternProperties: { '^(.)\\1$': {} } }`, "3.1.0"),
    ],
  },
  {
    code: "misplaced-property",
    bad: [
      schema("{ type: object, properties: { id: {} }, ▸name: { type: string } }", "3.1.0"),
      schema(`{ type: object, ▸base: { $ref: "#/components/schemas/Base" } }`, "3.1.0"),
      schema("{ properties: { id: {}, ▸additionalProperties: false } }", "3.1.0"),
    ],
    good: [
      schema("{ properties: { id: {}, name: { type: string } }, x-name: { type: string } }", "3.1.0"),
      schema("{ properties: { id: {} }, unit: { symbol: kg }, icon: cat }", "3.1.0"),
      schema("{ properties: { additionalProperties: { type: boolean } } }", "3.1.0"),
      schema("{ properties: { id: {} }, definitions: { name: { type: string } } }", "3.1.0"),
    ],
  },
  {
    code: "undeclared-required",
    bad: [
      schema("{ type: object, required: [id, ▸nmae], properties: { id: {}, name: {} } }"),
      schema(`{ allOf: [{ $ref: "#/components/schemas/Base" }], required: [id, ▸name] }`),
      schema("{ type: array, items: { type: object }, required: [▸id] }"),
      schema("{ properties: { id: {} }, anyOf: [{ required: [id] }, { required: [▸name] }] }"),
    ],
    good: [
      schema(`{ allOf: [{ $ref: "#/components/schemas/Base" }, { required: [id, name], properties: { name: {} } }] }`),
      schema("{ properties: { id: {}, name: {} }, oneOf: [{ required: [id] }, { required: [name] }] }"),
      schema("{ properties: { id: {}, name: {} }, not: { required: [id, name] } }"),
      schema("{ type: object, required: [id], additionalProperties: { type: string } }"),
      schema(
        `{ allOf: [{ $ref: "#/components/schemas/Strict" }, { $ref: "#/components/schemas/Base" }] }`,
        "3.0.3",
        "    Strict: { required: [id] }",
      ),
      schema("{ properties: { id: {} }, patternProperties: { ^x: {} }, required: [xy] }", "3.1.0"),
      schema(`{ $ref: "#/components/schemas/Base", required: [id] }`, "3.1.0"),
      schema("{ properties: { a: {}, b: {} }, if: { required: [a] }, then: { required: [b] } }", "3.1.0"),
    ],
  },
  {
    code: "undeclared-discriminator",
    bad: [
      schema("{ type: object, properties: { id: {} }, discriminator: { propertyName: ▸kind } }"),
      schema(
        `{ oneOf: [{ $ref: "#/components/schemas/Base" }, ▸{ type: object, properties: { id: {} } }], discriminator: { propertyName: kind } }`,
      ),
      swagger(`paths: {}
definitions: { Pet: { type: object, discriminator: ▸kind, properties: { id: {} } } }`),
    ],
    good: [
      schema(
        "{ type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind } }",
      ),
      schema(`{ oneOf: [{ $ref: "#/components/schemas/Base" }], discriminator: { propertyName: kind } }`),
      schema(`{ allOf: [{ $ref: "#/components/schemas/Base" }], discriminator: { propertyName: kind } }`),
      schema(`{ properties: { kind: {} }, anyOf: [{ type: object }], discriminator: { propertyName: kind } }`),
      schema(
        `{ oneOf: [{ $ref: "#/components/schemas/Base" }, { type: "null" }], discriminator: { propertyName: kind } }`,
        "3.1.0",
      ),
    ],
  },
  {
    code: "undeclared-encoding",
    bad: [
      operation(`requestBody:
  content:
    multipart/form-data:
      schema: { type: object, properties: { photo: { type: string } } }
      encoding:
        ▸foto: { contentType: image/png }`),
    ],
    good: [
      operation(
        `requestBody:
  content:
    multipart/form-data:
      schema: { allOf: [{ $ref: "#/components/schemas/Form" }] }
      encoding: { photo: { contentType: image/png } }`,
        "3.0.3",
        "components: { schemas: { Form: { properties: { photo: {} } } } }",
      ),
      operation(`requestBody:
  content:
    multipart/form-data:
      schema: { type: object, additionalProperties: { type: string } }
      encoding: { photo: { contentType: image/png } }`),
    ],
  },
  {
    code: "unknown-scope",
    bad: [
      openapi(
        "3.0.3",
        `components:
  securitySchemes:
    login: { type: oauth2, flows: { implicit: { authorizationUrl: https://example.com, scopes: { read: Reads. } } } }
security: [{ login: [read, ▸raed] }]
`,
      ),
      swagger(`paths: {}
securityDefinitions:
  login: { type: oauth2, flow: implicit, authorizationUrl: https://example.com, scopes: { read: Reads. } }
security: [{ login: [▸write] }]`),
    ],
    good: [
      openapi(
        "3.0.3",
        `components:
  securitySchemes:
    login:
      type: oauth2
      flows:
        implicit: { authorizationUrl: https://example.com, scopes: { read: Reads. } }
        password: { tokenUrl: https://example.com, scopes: { write: Writes. } }
    connect: { type: openIdConnect, openIdConnectUrl: https://example.com }
security: [{ login: [read, write], connect: [any] }]
`,
      ),
    ],
  },
  {
    code: "duplicate-tag",
    bad: [
      openapi("3.0.3", "tags: [{ name: pets }, { name: ▸pets, description: Again. }]\n"),
      openapi("3.1.0", "tags: [{ name: pets }, { name: ▸pets }]\n"),
      operation("tags: [pets, birds, ▸pets]"),
    ],
    good: [openapi("3.0.3", "tags: [{ name: pets }, { name: Pets }]\n"), operation("tags: [pets, birds]")],
  },
  {
    code: "duplicate-body",
    bad: [
      swagger(`paths:
  /pets:
    post:
      parameters:
        - { name: pet, in: body, schema: {} }
        - ▸{ name: other, in: body, schema: {} }
      responses: { "200": { description: A pet. } }`),
      swagger(`paths:
  /pets:
    parameters: [{ $ref: "#/parameters/Pet" }]
    post:
      parameters:
        - ▸{ name: name, in: formData, type: string }
      responses: { "200": { description: A pet. } }
parameters: { Pet: { name: pet, in: body, schema: {} } }`),
    ],
    good: [
      swagger(`paths:
  /pets:
    parameters: [{ name: pet, in: body, schema: {} }]
    post:
      parameters: [{ name: pet, in: body, schema: { type: object } }, { name: dry, in: query, type: string }]
      responses: { "200": { description: A pet. } }
    put:
      responses: { "200": { description: A pet. } }`),
    ],
  },
  {
    code: "broken-link",
    bad: [
      response("links: { next: { operationId: ▸listPet } }"),
      response(`links: { next: { operationRef: "▸#/paths/pets/get" } }`),
    ],
    good: [
      response("links: { next: { operationId: listPets } }"),
      response(`links: { next: { operationRef: "#/paths/~1pets/get" } }`),
      response(`links: { next: { operationRef: "https://example.com/api.yaml#/paths/~1pets/get" } }`),
    ],
  },
  {
    code: "bad-expression",
    bad: [
      response(`links: { next: { operationId: listPets, parameters: { id: ▸$response.body.id } } }`),
      operation(`callbacks:
  added:
    "▸{$request.body.url}": { post: { responses: { "200": { description: Thanks. } } } }`),
      operation(`callbacks:
  added:
    "▸{request.body#/url}": { post: { responses: { "200": { description: Thanks. } } } }`),
      operation(`callbacks:
  added:
    "▸{$request.body#/url": { post: { responses: { "200": { description: Thanks. } } } }`),
      operation(`callbacks:
  added:
    ▸$response.query.url: { post: { responses: { "200": { description: Thanks. } } } }`),
      operation(`callbacks:
  added:
    ▸added: { post: { responses: { "200": { description: Thanks. } } } }`),
    ],
    good: [
      response("links: { next: { operationId: listPets, parameters: { id: $response.body#/id, kind: cat } } }"),
      operation(`callbacks:
  added:
    "{$request.body#/url}/pets?id={$response.body#/id}": { post: { responses: { "200": { description: Thanks. } } } }
    $request.query.url: { post: { responses: { "200": { description: Thanks. } } } }
    https://example.com/hook: { post: { responses: { "200": { description: Thanks. } } } }`),
      operation(
        `callbacks: { added: { $ref: "#/components/callbacks/Added" } }`,
        "3.0.3",
        `components:
  callbacks: { Added: { $request.query.url: { post: { responses: { "200": { description: Thanks. } } } } } }`,
      ),
    ],
  },
  {
    code: "impossible-parameter",
    bad: [
      operation("parameters: [{ name: age, in: query, schema: ▸{ type: integer, minimum: 5, maximum: 1 } }]"),
      operation(
        `parameters: [{ name: x-kind, in: header, content: { application/json: { schema: ▸{ type: integer, enum: [one] } } } }]`,
      ),
    ],
    good: [
      operation("parameters: [{ name: age, in: query, schema: { type: integer, minimum: 1, maximum: 5 } }]"),
      operation(
        "parameters: [{ name: age, in: query, example: 1, schema: { type: integer, minimum: 5, maximum: 1 } }]",
      ),
    ],
  },
  {
    code: "impossible-body",
    bad: [
      operation(
        "requestBody: { content: { application/json: { schema: ▸{ type: string, minLength: 3, maxLength: 2 } } } }",
      ),
      response("content: { application/json: { schema: ▸{ allOf: [{ type: string }, { type: integer }] } } }"),
    ],
    good: [
      operation(
        "requestBody: { content: { application/json: { schema: { type: object, required: [id], properties: { id: { readOnly: true, enum: [] } } } } } }",
        "3.1.0",
      ),
      response("content: { application/json: { schema: { type: string, pattern: '^a]$' } } }"),
      response(
        String
          .raw`content: { application/json: { schema: { type: string, maxLength: 3, allOf: [{ pattern: '^]' }, { pattern: '\p{L}$' }] } } }`,
      ),
      response(
        String
          .raw`content: { application/json: { schema: { type: string, allOf: [{ pattern: 'a]' }, { pattern: '\u{61}{1}' }] } } }`,
      ),
    ],
  },
  {
    code: "impossible-header",
    bad: [response("headers: { X-Left: { schema: ▸{ type: integer, minimum: 5, maximum: 1 } } }")],
    good: [
      response(
        "headers: { X-Left: { schema: { type: integer, minimum: 0 } }, X-Kind: { example: a, schema: { enum: [b] } } }",
      ),
    ],
  },
  {
    code: "no-mockable-response",
    bad: [
      openapi(
        "3.0.3",
        `paths:
  /pets:
    ▸get: { responses: { "2XX": { description: Pets. } } }
    ▸put: { responses: { "302": { description: Elsewhere. }, default: { description: Wrong. } } }
    ▸post: { responses: { "400": { description: Wrong. } } }
    delete: { responses: { "204": { description: Gone. } } }
`,
      ),
    ],
    good: [
      openapi(
        "3.0.3",
        `paths:
  /pets:
    get: { x-svc: { redirect: { path: /dogs } }, responses: { "302": { description: Elsewhere. } } }
    put: { x-svc: { disabled: true }, responses: { default: { description: Wrong. } } }
    post: { x-svc: { mocking: { enabled: false } }, responses: { default: { description: Wrong. } } }
    delete: { responses: { "200": { $ref: "#/components/responses/None" }, default: { description: Wrong. } } }
`,
      ),
    ],
  },
];

/** The places of a rule's diagnostics, as `line:column`. */
async function placesOf(text: string, code: RuleCode): Promise<string[]> {
  const diagnostics = await validateDocument(await parseDocument(text.replaceAll(MARK, "")));
  const found = diagnostics.filter((diagnostic) => diagnostic.code === code);
  for (const { severity, message } of found) {
    assert.equal(severity, "warning");
    assert.match(message, /^[A-Z`].*[.?]$/s);
  }
  return found.map(({ line, column }) => `${line}:${column}`);
}

/** The places of the marks in a text, as `line:column`. */
function markedPlaces(text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    Array.from(
      line.matchAll(new RegExp(MARK, "g")),
      ({ index: column }, earlier) => `${index + 1}:${column + 1 - earlier}`,
    )
  );
}

for (const { code, bad, good } of CASES) {
  Deno.test(`validateDocument() warns of ${code} at its place`, async () => {
    for (const text of bad) assert.deepEqual(await placesOf(text, code), markedPlaces(text), text);
    for (const text of good) assert.deepEqual(await placesOf(text, code), [], text);
  });
}

Deno.test("validateDocument() accepts a reference to a callback", async () => {
  const text = operation(
    `callbacks: { added: { $ref: "#/components/callbacks/Added" } }`,
    "3.0.3",
    `components:
  callbacks: { Added: { $request.query.url: { post: { responses: { "200": { description: Thanks. } } } } } }`,
  );
  assert.deepEqual(await validateDocument(await parseDocument(text)), []);
});

Deno.test("a deployment doesn't report probable mistakes", async () => {
  for (const { code, bad } of CASES) {
    for (const text of bad) {
      const diagnostics = await checkDeployment(await parseDocument(text.replaceAll(MARK, "")));
      assert.deepEqual(diagnostics.filter((diagnostic) => diagnostic.code === code), [], text);
    }
  }
});
