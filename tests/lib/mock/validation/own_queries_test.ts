/** gw's own query parameters, such as `__code`, aren't validated as parameters of the definition. */
import assert from "node:assert/strict";
import { createResponder } from "../../../../lib/mock/responder.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { violationsOf } from "./support.ts";

const closed = { type: "object", properties: { limit: { type: "integer" } }, additionalProperties: false };
const form = { "application/x-www-form-urlencoded": { schema: closed } };
const OWN = "__code=201&__example=a&__dynamic=true&__seed=1&__array-size=2";

/** A Parameter Object, a query, and the codes of the expected violations. */
const CASES: { name: string; parameter: Record<string, unknown>; target: string; want: string[] }[] = [
  { name: "a form", parameter: { in: "querystring", content: form }, target: `/?limit=1&${OWN}`, want: [] },
  { name: "own queries alone", parameter: { in: "querystring", content: form }, target: `/?${OWN}`, want: [] },
  {
    name: "own queries alone, where others are required",
    parameter: { in: "querystring", required: true, content: form },
    target: `/?${OWN}`,
    want: ["required"],
  },
  {
    name: "what is wrong beside them",
    parameter: { in: "querystring", content: form },
    target: `/?limit=x&__code=201&page=1`,
    want: ["additionalProperties", "type"],
  },
  {
    name: "JSON",
    parameter: { in: "querystring", content: { "application/json": { schema: closed } } },
    target: `/?%7B%22limit%22%3A1%7D&${OWN}`,
    want: [],
  },
  {
    name: "an own query that the schema describes",
    parameter: {
      in: "querystring",
      content: {
        "application/x-www-form-urlencoded": {
          schema: { type: "object", required: ["__seed"], properties: { __seed: { type: "integer" } } },
        },
      },
    },
    target: "/?__seed=1",
    want: [],
  },
  {
    name: "an object whose properties are queries",
    parameter: {
      in: "query",
      name: "filter",
      schema: { type: "object", additionalProperties: { type: "integer" } },
    },
    target: `/?limit=1&${OWN}`,
    want: [],
  },
];

for (const { name, parameter, target, want } of CASES) {
  Deno.test(`query parameters of the mock server aren't read into an object parameter: ${name}`, async () => {
    const document = await parseDocument(JSON.stringify({
      openapi: "3.2.0",
      paths: { "/": { get: { parameters: [{ name: "query", ...parameter }], responses: { 200: {}, 201: {} } } } },
    }));
    const respond = await createResponder([document], { validate: "error" });
    const { validation, response } = await respond(new Request(`http://h${target}`));
    assert.deepEqual((await validation)?.violations.map(({ code }) => code).toSorted(), want);
    assert.equal(response.status < 300, want.length === 0);
  });
}

Deno.test("`__code` is read into an object parameter if the server has no query parameters of its own", async () => {
  const definition = {
    openapi: "3.2.0",
    operation: { parameters: [{ name: "query", in: "querystring", content: form }] },
  };
  assert.deepEqual(await violationsOf(definition, { target: "/?__code=201" }), [
    "querystring/query: additionalProperties",
  ]);
});
