/** Queries and forms whose schemas restrict the type by other keywords than `type`, in requests to a mock server. */
import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

interface Case {
  name: string;
  /** The schema of the query parameter `n`; without it, the schema of a form is tested. */
  query?: unknown;
  form?: unknown;
  /** Queries or forms that must be accepted. */
  accepted: string[];
  refused: string[];
}

const integer = { type: "integer" };
const string = { type: "string" };
const longForm = { minProperties: 1, maxProperties: 9 };

const CASES: Case[] = [
  {
    name: "$dynamicRef",
    query: { $id: "https://example.com/n", $dynamicRef: "#T", $defs: { T: { $dynamicAnchor: "T", type: "integer" } } },
    accepted: ["n=3"],
    refused: ["n=x"],
  },
  {
    name: "if, then and else",
    query: { if: { const: "all" }, then: string, else: integer },
    accepted: ["n=3", "n=all"],
    refused: ["n=x"],
  },
  {
    name: "nullable in OpenAPI 3.1, where the keyword means nothing",
    query: { type: "integer", nullable: true },
    accepted: ["n=3"],
    refused: ["n=null", "n="],
  },
  {
    name: "dependentSchemas",
    form: { type: "object", properties: { a: integer }, dependentSchemas: { a: { properties: { n: integer } } } },
    accepted: ["a=1&n=3", "n=x"],
    refused: ["a=1&n=x"],
  },
  {
    name: "patternProperties",
    form: { type: "object", patternProperties: { "^n": integer, "^s": string }, ...longForm },
    accepted: ["n=3&s=3", "n1=3&n2=4", "t=x"],
    refused: ["n=x&s=3"],
  },
  {
    name: "unevaluatedProperties",
    form: { type: "object", properties: { s: string }, unevaluatedProperties: integer },
    accepted: ["n=3", "s=3&n=3"],
    refused: ["n=x"],
  },
  {
    name: "contains",
    form: { type: "object", properties: { n: { type: "array", contains: integer } } },
    accepted: ["n=3", "n=3&n=x"],
    refused: ["n=x"],
  },
];

for (const { name, query, form, accepted, refused } of CASES) {
  Deno.test(`createMock() reads ${query === undefined ? "a form" : "a query"} by ${name}`, async (t) => {
    const operation = query === undefined
      ? { requestBody: { content: { "application/x-www-form-urlencoded": { schema: form } } } }
      : { parameters: [{ name: "n", in: "query", schema: query }] };
    const document = await parseDocument(JSON.stringify({
      openapi: "3.1.1",
      info: { title: "Texts", version: "1" },
      paths: { "/": { post: { ...operation, responses: { "204": { description: "Fine" } } } } },
    }));
    const mock = createMock(document, { validate: "error" });
    for (const [texts, status] of [[accepted, 204], [refused, 422]] as const) {
      for (const text of texts) {
        await t.step(text, async () => {
          const response = await mock(
            query === undefined
              ? new Request("http://localhost/", {
                method: "POST",
                headers: { "content-type": "application/x-www-form-urlencoded" },
                body: text,
              })
              : new Request(`http://localhost/?${text}`, { method: "POST" }),
          );
          assert.equal(response.status, status, await response.text());
        });
      }
    }
  });
}
