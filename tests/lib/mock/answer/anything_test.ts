import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";

const SCHEMAS = { Any: {}, Pet: { type: "object", properties: { tag: {} }, required: ["tag"] } };

const CASES: { title: string; media?: string; schema: unknown; want: string | RegExp }[] = [
  { title: "an empty schema", schema: {}, want: "null" },
  { title: "`true`", schema: true, want: "null" },
  { title: "annotations", schema: { title: "Result", description: "Whatever", deprecated: true }, want: "null" },
  { title: "a reference to it", schema: { $ref: "#/components/schemas/Any" }, want: "null" },
  { title: "allOf of it", schema: { allOf: [{ $ref: "#/components/schemas/Any" }, {}] }, want: "null" },
  { title: "another JSON type", media: "application/hal+json", schema: {}, want: "null" },
  { title: "an example", schema: { example: 7 }, want: "7" },
  { title: "a default", schema: { default: "x" }, want: '"x"' },
  { title: "a type", schema: { type: "object" }, want: /^\{/ },
  { title: "a property that may be anything", schema: { $ref: "#/components/schemas/Pet" }, want: /"tag":[^n]/ },
  { title: "a text", media: "text/plain", schema: {}, want: /^(?!null)./ },
];

for (const { title, media = "application/json", schema, want } of CASES) {
  Deno.test(`a JSON body that may be anything is null: ${title}`, async () => {
    const mock = createMock({
      openapi: "3.1.0",
      info: { title: "Any", version: "1" },
      paths: { "/": { get: { responses: { 200: { description: "Any", content: { [media]: { schema } } } } } } },
      components: { schemas: SCHEMAS },
    });
    const body = await (await mock(new Request("http://localhost/"))).text();
    if (typeof want === "string") assert.equal(body, want);
    else assert.match(body, want);
  });
}
