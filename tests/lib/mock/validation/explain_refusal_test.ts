/**
 * A refused request is answered by the error response of the definition. If its schema has a property for a message,
 * this property gets the reason.
 */
import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import { child } from "../../../../lib/schema/json/node.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";

const NAME = "Request body property name must be string.";
const SIZE = "Request query parameter size must be integer.";
/** Violations in the order in which they are reported: query before body. */
const VIOLATIONS = [
  { location: ["query", "size"], severity: "Error", code: "type", message: SIZE },
  { location: ["body", "name"], severity: "Error", code: "type", message: NAME },
];
const SENTENCE = `The request is not as POST /a wants it: ${SIZE} (and 2 more)`;

const string = { type: "string" };
const object = (properties: Record<string, unknown>, more = {}): Record<string, unknown> => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

/** The Media Type Object of the definition's response 422, and the expected body. */
const CASES: { name: string; media: Record<string, unknown>; want: unknown; isInvalid?: boolean }[] = [
  {
    name: "a message of the schema",
    media: { schema: object({ message: string }) },
    want: { message: SENTENCE },
  },
  {
    name: "a message of the example",
    media: { schema: object({ message: string, code: { const: 7 } }), example: { message: "No.", code: 7 } },
    want: { message: SENTENCE, code: 7 },
  },
  {
    name: "a message of an example without schema",
    media: { example: { message: "No.", trace: "x" } },
    want: { message: SENTENCE, trace: "x" },
  },
  {
    name: "a message that must be short",
    media: { schema: object({ message: { type: "string", maxLength: 50 } }), example: { message: "No." } },
    want: { message: SIZE },
  },
  {
    name: "a message that must be one of a few",
    media: { schema: object({ message: { enum: ["No."] } }) },
    want: { message: "No." },
  },
  {
    name: "no room",
    media: { schema: object({ text: string }), example: { text: "No." } },
    want: { text: "No." },
  },
  { name: "a text", media: { schema: string, example: "No." }, want: "No." },
  {
    name: "an example that is invalid anyway",
    media: { schema: object({ message: string, code: string }), example: { message: "No.", code: 7 } },
    want: { message: "No.", code: 7 },
    isInvalid: true,
  },
  {
    name: "a problem with errors as its own",
    media: {
      schema: object({
        title: string,
        detail: string,
        errors: { type: "array", items: object({ pointer: string, detail: string }) },
      }),
      example: { title: "Bad", detail: "No.", errors: [] },
    },
    want: {
      title: "Bad",
      detail: SENTENCE,
      errors: [{ pointer: "/size", detail: SIZE }, { pointer: "/name", detail: NAME }],
    },
  },
  {
    name: "errors that the example lacks",
    media: {
      schema: object({ message: string, errors: { type: "array", items: string } }, { required: ["message"] }),
      example: { message: "No." },
    },
    want: { message: SENTENCE, errors: [SIZE, NAME] },
  },
  {
    name: "errors of any kind",
    media: { schema: object({ errors: { type: "array" } }), example: { errors: [] } },
    want: { errors: VIOLATIONS },
  },
  {
    name: "errors with one item at most",
    media: { schema: object({ errors: { type: "array", items: string, maxItems: 1 } }), example: { errors: ["x"] } },
    want: { errors: [SIZE] },
  },
  {
    name: "errors with codes of their own",
    media: {
      schema: object({
        errors: { type: "array", items: object({ code: { enum: ["E1"] }, field: string, message: string }) },
      }),
      example: { errors: [{ code: "E1", field: "age", message: "No." }] },
    },
    want: { errors: [{ code: "E1", field: "age", message: SIZE }, { code: "E1", field: "age", message: NAME }] },
  },
  {
    name: "errors by place, in lists",
    media: {
      schema: object({ errors: { type: "object", additionalProperties: { type: "array", items: string } } }),
      example: { errors: { age: ["No."] } },
    },
    want: { errors: { size: [SIZE], name: [NAME] } },
  },
  {
    name: "errors by place, as texts",
    media: { schema: object({ errors: { type: "object", additionalProperties: string } }) },
    want: { errors: { size: SIZE, name: NAME } },
  },
  {
    name: "FastAPI's detail",
    media: {
      schema: {
        $ref: "#/components/schemas/HTTPValidationError",
      },
    },
    want: {
      detail: [
        { loc: ["query", "size"], msg: SIZE, type: "type" },
        { loc: ["body", "name"], msg: NAME, type: "type" },
      ],
    },
  },
  {
    name: "JSON:API's errors",
    media: { example: { errors: [{ status: "422", source: { pointer: "/data" }, detail: "No." }] } },
    want: {
      errors: [
        { status: "422", source: { parameter: "size" }, detail: SIZE },
        { status: "422", source: { pointer: "/name" }, detail: NAME },
      ],
    },
  },
  {
    name: "an error inside",
    media: {
      schema: object({ error: object({ code: string, message: string }) }),
      example: { error: { code: "E", message: "No." } },
    },
    want: { error: { code: "E", message: SENTENCE } },
  },
  {
    name: "members of allOf",
    media: { schema: { allOf: [{ type: "object", properties: { message: string }, required: ["message"] }] } },
    want: { message: SENTENCE },
  },
  {
    name: "a name that objects have by nature",
    media: { example: { message: "No.", errors: [{ constructor: "x", message: "No." }] } },
    want: {
      message: SENTENCE,
      errors: [{ constructor: "x", message: SIZE }, { constructor: "x", message: NAME }],
    },
  },
];

for (const { name, media, want, isInvalid = false } of CASES) {
  Deno.test(`a refusal has its reason in the definition's own response: ${name}`, async () => {
    const document = await parseDocument(JSON.stringify({
      openapi: "3.1.0",
      paths: {
        "/a": {
          post: {
            parameters: [
              { in: "query", name: "size", schema: { type: "integer" } },
              { in: "query", name: "old", deprecated: true, schema: string },
            ],
            requestBody: { content: { "application/json": { schema: { properties: { name: string } } } } },
            responses: { 200: {}, 422: { content: { "application/json": media } } },
          },
        },
      },
      components: {
        schemas: {
          HTTPValidationError: {
            type: "object",
            properties: { detail: { type: "array", items: { $ref: "#/components/schemas/ValidationError" } } },
          },
          ValidationError: {
            type: "object",
            required: ["loc", "msg", "type"],
            properties: {
              loc: { type: "array", items: { anyOf: [string, { type: "integer" }] } },
              msg: string,
              type: string,
            },
          },
        },
      },
    }));
    const response = await createMock(document, { validate: "error" })(
      new Request("http://h/a?size=x&old=1", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"name":1}',
      }),
    );
    const body = await response.json();
    assert.equal(response.status, 422);
    assert.deepEqual(body, want);
    const told: { severity: string }[] = JSON.parse(response.headers.get("x-gw-violations") ?? "");
    assert.deepEqual(told.filter(({ severity }) => severity === "Error"), VIOLATIONS);
    assert.deepEqual(told.filter(({ severity }) => severity === "Warning").length, 1);
    const [operation] = listOperations(document);
    assert.ok(operation);
    const content = child(child(child(child(operation.node, "responses"), "422"), "content"), "application/json");
    const schema = child(content, "schema");
    if (schema.value === undefined || isInvalid) return;
    const check = (await createDocumentValidator(document)).checkOf(schema, "response");
    assert.deepEqual(check(body), []);
  });
}
