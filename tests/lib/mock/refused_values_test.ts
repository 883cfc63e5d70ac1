import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { createStateClient } from "./state/state_client.ts";

const json = (schema: unknown): unknown => ({ content: { "application/json": { schema } } });
const object = (properties: Record<string, unknown>): unknown => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});
const text = { type: "string" };

/** An error as FastAPI declares it. */
const LIST = object({
  detail: { type: "array", items: object({ loc: { type: "array" }, msg: text, type: text, input: {} }) },
});
const STRIPE = object({ error: object({ message: text, param: text, type: text }) });

const CASES: { title: string; error: unknown; target: string; body: unknown; at: string; want: unknown }[] = [
  { title: "a value in a list", error: LIST, target: "/pets", body: { age: "old" }, at: "detail.0.input", want: "old" },
  {
    title: "the object that lacks a property",
    error: LIST,
    target: "/pets",
    body: { x: 1 },
    at: "detail.0.input",
    want: { x: 1 },
  },
  {
    title: "a query parameter",
    error: LIST,
    target: "/pets?limit=many",
    body: { age: 1 },
    at: "detail.0.input",
    want: "many",
  },
  {
    title: "the parameter of an object",
    error: STRIPE,
    target: "/pets",
    body: { age: "old" },
    at: "error.param",
    want: "age",
  },
  {
    title: "the query parameter of an object",
    error: STRIPE,
    target: "/pets?limit=many",
    body: { age: 1 },
    at: "error.param",
    want: "limit",
  },
];

for (const { title, error, target, body, at, want } of CASES) {
  Deno.test(`the declared error of a refused request repeats ${title}`, async () => {
    const pet = { type: "object", required: ["age"], properties: { age: { type: "integer" } } };
    const paths = {
      "/pets": {
        post: {
          parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
          requestBody: json(pet),
          responses: {
            "201": { description: "Made.", ...json(pet) as object },
            "422": { description: "No.", ...json(error) as object },
          },
        },
        get: { responses: { "200": { description: "All.", ...json({ type: "array", items: pet }) as object } } },
      },
    };
    const document = await parseDocument(JSON.stringify({ openapi: "3.1.0", paths }));
    const mock = createMock(document, { validate: "error" });
    const response = await mock(
      new Request(`http://localhost${target}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    );
    assert.equal(response.status, 422);
    let part = await response.json();
    for (const key of at.split(".")) part = part[key];
    assert.deepEqual(part, want);
  });
}

Deno.test("the declared 404 of an unknown item repeats its parameter and id", async () => {
  const pet = object({ id: text, name: text });
  const client = await createStateClient(JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    paths: {
      "/pets/{petId}": {
        parameters: [{ name: "petId", in: "path", required: true, schema: text }],
        get: {
          responses: {
            "200": { description: "One.", ...json(pet) as object },
            "404": { description: "None.", ...json(object({ message: text, param: text, input: text })) as object },
          },
        },
        delete: { responses: { "204": { description: "Gone." } } },
      },
    },
  }));
  const { body } = await client.ask("GET /pets/quartz");
  assert.deepEqual(body, { message: 'There is no pet "quartz".', param: "petId", input: "quartz" });
});
