import assert from "node:assert/strict";
import { generate } from "./generated.ts";

/** Schemas that no value satisfies, with the reason, and the pointer of the contradiction relative to `Main`. */
const CONTRADICTIONS: { name: string; schema: unknown; reason: RegExp; pointer: string }[] = [
  { name: "false", schema: false, reason: /`false` allows nothing/, pointer: "" },
  { name: "an empty enum", schema: { enum: [] }, reason: /lists no value/, pointer: "" },
  {
    name: "types that contradict",
    schema: { allOf: [{ type: "string" }, { type: "integer" }] },
    reason: /contradicts type string/,
    pointer: "/allOf/1",
  },
  {
    name: "an enum of the wrong type",
    schema: { type: "integer", enum: ["one", "two"] },
    reason: /no listed value is of type integer/,
    pointer: "",
  },
  {
    name: "bounds the wrong way round",
    schema: { type: "integer", minimum: 3, maximum: 2 },
    reason: /no number is within/,
    pointer: "",
  },
  {
    name: "no integer between bounds",
    schema: { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 },
    reason: /no number/,
    pointer: "",
  },
  {
    name: "a length the wrong way round",
    schema: { type: "string", minLength: 3, maxLength: 2 },
    reason: /above `maxLength`/,
    pointer: "",
  },
  {
    name: "a pattern longer than allowed",
    schema: { type: "string", pattern: "^a{5}$", maxLength: 4 },
    reason: /longer than/,
    pointer: "",
  },
  {
    name: "a format shorter than allowed",
    schema: { type: "string", format: "date", minLength: 11 },
    reason: /shorter than/,
    pointer: "",
  },
  {
    name: "a required property that is not allowed",
    schema: { type: "object", required: ["a"], additionalProperties: false },
    reason: /"a" is required and not allowed/,
    pointer: "",
  },
  {
    name: "a required property that is impossible",
    schema: { type: "object", required: ["a"], properties: { a: { type: "integer", enum: ["one"] } } },
    reason: /required property "a": no listed value/,
    pointer: "/properties/a",
  },
  {
    name: "an endless recursion",
    schema: { type: "object", required: ["a"], properties: { a: { $ref: "#/components/schemas/Main" } } },
    reason: /requires itself without end/,
    pointer: "",
  },
  {
    name: "equal subschemas of oneOf",
    schema: { oneOf: [{ type: "string" }, { type: "string" }] },
    reason: /must not satisfy this schema/,
    pointer: "/oneOf/1",
  },
  {
    name: "the opposite of itself",
    schema: { type: "string", not: { type: "string" } },
    reason: /must not satisfy/,
    pointer: "/not",
  },
  {
    name: "no item that can satisfy `contains`",
    schema: { type: "array", prefixItems: [{ type: "integer" }], contains: { type: "string" }, maxItems: 1 },
    reason: /fewer items for `contains`/,
    pointer: "",
  },
  {
    name: "a condition whose branches are both impossible",
    schema: {
      if: { prefixItems: [{ type: "string" }], items: false, contains: {}, minContains: 2 },
      then: { type: "array" },
      else: { type: "number" },
    },
    reason: /./,
    pointer: "/if/items",
  },
  {
    name: "fewer items than minItems",
    schema: { type: "array", items: false, minItems: 1 },
    reason: /`false`/,
    pointer: "/items",
  },
  {
    name: "fewer different items than minItems",
    schema: { type: "array", items: { type: "boolean" }, minItems: 3, uniqueItems: true },
    reason: /fewer different items/,
    pointer: "",
  },
];

Deno.test("generateBody() proves that a schema is unsatisfiable", async (t) => {
  for (const { name, schema, reason, pointer } of CONTRADICTIONS) {
    await t.step(name, async () => {
      const body = await generate({ Main: schema });
      if (body.kind !== "impossible") assert.fail(JSON.stringify(body.value));
      assert.match(body.reason, reason);
      assert.equal(body.pointer, `/components/schemas/Main${pointer}`);
      assert.ok(body.proven);
    });
  }
});

Deno.test("generateBody() terminates on schemas with an infinite number of alternatives", async () => {
  const parts = Array.from({ length: 30 }, (_, index) => ({
    type: "object",
    properties: { [`p${index}`]: { $ref: "#/components/schemas/Main" }, q: { $ref: "#/components/schemas/Main" } },
  }));
  const body = await generate({ Main: { oneOf: parts, anyOf: parts.toReversed(), not: { allOf: parts } } });
  assert.ok(body.kind === "body" || body.reason !== "");
});

Deno.test("generateBody() terminates on schemas that only infinitely nested values satisfy", async (t) => {
  const schemas = {
    Main: { if: { $ref: "#/components/schemas/B" }, then: false },
    B: { patternProperties: { "^a": { $ref: "#/components/schemas/B" } } },
  };
  for (let seed = 0; seed < 5; seed++) {
    await t.step(`seed ${seed}`, async () => assert.equal((await generate(schemas, { seed })).kind, "impossible"));
  }
});
