import assert from "node:assert/strict";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import { documentOf, validBodyOf } from "./generated.ts";

const USER = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    email: { type: "string", format: "email" },
    tags: { type: "array", items: { type: "string" } },
  },
};

Deno.test("generateBody() gives the same body each time, and another with another seed", async () => {
  const first = await validBodyOf({ Main: USER });
  assert.deepEqual(await validBodyOf({ Main: USER }), first);
  assert.deepEqual(Object.keys(Object(first)), ["id", "name", "email", "tags"]);
  assert.notDeepEqual(await validBodyOf({ Main: USER }, { seed: 1 }), first);
});

Deno.test("generateBody() gives at least 10 different bodies for 20 seeds, if the schema allows", async (t) => {
  const cases: [name: string, schema: unknown][] = [
    ["user", USER],
    ["text", { type: "string" }],
    ["city", { type: "object", properties: { city: { type: "string" } } }],
    ["company", { type: "object", properties: { company: { type: "string" } } }],
    ["integer", { type: "integer", minimum: 1, maximum: 20 }],
    ["pattern", { type: "string", pattern: "^[a-z]{2}$" }],
    ["list", { type: "array", items: { enum: ["a", "b", "c", "d"] }, minItems: 3 }],
    ["free object", { type: "object" }],
    ["example", { type: "object", properties: { name: { type: "string", examples: ["Rex"] } } }],
    ["one word or null", { type: ["string", "null"], pattern: "^[a-i]$" }],
    ["a few listed", { enum: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"] }],
    ["a pattern that most of is fixed", { type: "string", pattern: "^id:.*:[0-9]$" }],
  ];
  for (const [name, schema] of cases) {
    await t.step(name, async () => assert.ok(await countDifferent(schema) >= 10));
  }
});

Deno.test("generateBody() gives all bodies of a small schema for 20 seeds", async (t) => {
  const flag = { type: "boolean" };
  const flags = { type: "object", properties: { a: flag, b: flag }, additionalProperties: false };
  const cases: [name: string, schema: unknown, count: number][] = [
    ["a constant", { const: 1 }, 1],
    ["a flag", flag, 2],
    ["listed values", { enum: ["a", "b", "c", null] }, 4],
    ["flags, at least one", { ...flags, minProperties: 1 }, 8],
    ["flags or none", flags, 9],
    ["an integer within bounds", { type: "integer", minimum: 1, maximum: 5 }, 5],
  ];
  for (const [name, schema, count] of cases) {
    await t.step(name, async () => assert.equal(await countDifferent(schema), count));
  }
});

/** The number of different bodies that 20 seeds lead to. */
async function countDifferent(Main: unknown): Promise<number> {
  const { document, main } = await documentOf({ Main });
  const generator = await createBodyGenerator(document);
  const bodies = Array.from({ length: 20 }, (_, seed) => JSON.stringify(generator.generate(main, { seed })));
  return new Set(bodies).size;
}
