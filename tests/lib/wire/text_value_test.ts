import assert from "node:assert/strict";
import { readHints } from "../../../lib/schema/hints.ts";
import { ValidatorLoader } from "../../../lib/wire/chooser.ts";
import { findValue, type Text, TextFields, toValue, Typed } from "../../../lib/wire/text_value.ts";
import { contextOf } from "./context.ts";

interface Case {
  name: string;
  schema: unknown;
  text: Text;
  /** The value that the hints of the schema suggest, without validation. */
  likely: unknown;
  /** The value that `findValue` chooses: it validates each value that the text may mean. */
  found: unknown;
}

const CASES: Case[] = [
  { name: "a number", schema: { type: "integer" }, text: "3", likely: 3, found: 3 },
  { name: "a text where a number is wanted", schema: { type: "integer" }, text: "x", likely: "x", found: "x" },
  { name: "a text without a schema", schema: true, text: "3", likely: "3", found: "3" },
  { name: "anything but a string", schema: { not: { type: "string" } }, text: "3", likely: "3", found: 3 },
  {
    name: "a number or a word",
    schema: { type: ["integer", "string"], not: { type: "integer" } },
    text: "3",
    likely: 3,
    found: "3",
  },
  {
    name: "a branch by another property",
    schema: {
      oneOf: [
        { properties: { kind: { const: "a" }, n: { type: "integer" } }, required: ["kind"] },
        { properties: { kind: { const: "b" }, n: { type: "string" } }, required: ["kind"] },
      ],
    },
    text: { kind: "b", n: "3" },
    likely: { kind: "b", n: 3 },
    found: { kind: "b", n: "3" },
  },
  {
    name: "JSON in a text",
    schema: { properties: { a: { required: ["b"], not: { type: "string" } } } },
    text: { a: '{"b":1}' },
    likely: { a: '{"b":1}' },
    found: { a: { b: 1 } },
  },
  {
    name: "one field of a list",
    schema: { properties: { a: { minItems: 1, not: { type: "string" } } } },
    text: { a: new TextFields(["x"]) },
    likely: { a: "x" },
    found: { a: ["x"] },
  },
  {
    name: "a list that is written with indices",
    schema: { properties: { a: { not: { type: "object" } } } },
    text: { a: { 0: "x", 1: "y" } },
    likely: { a: { 0: "x", 1: "y" } },
    found: { a: ["x", "y"] },
  },
  {
    name: "a part with types of its own",
    schema: { properties: { a: { type: "string" } } },
    text: { a: new Typed(3) },
    likely: { a: 3 },
    found: { a: 3 },
  },
  {
    name: "more parts than a search takes",
    schema: { items: { not: { type: "string" } } },
    text: Array.from({ length: 2_000 }, () => "3"),
    likely: Array.from({ length: 2_000 }, () => "3"),
    found: Array.from({ length: 2_000 }, () => "3"),
  },
];

Deno.test("findValue() finds a value that the schema allows, where toValue() uses only the hints", async (t) => {
  for (const { name, schema, text, likely, found } of CASES) {
    await t.step(name, async () => {
      const context = await contextOf({ Body: schema });
      const validators = new ValidatorLoader();
      const hints = readHints(context.document, context.schema, "request", validators);
      assert.deepEqual(toValue(text, hints), likely);
      assert.deepEqual(await findValue(text, hints, validators), found);
    });
  }
});

Deno.test("findValue() takes a bounded number of steps for nested branches", async () => {
  let schema: unknown = { type: "integer" };
  for (let depth = 0; depth < 12; depth++) {
    schema = {
      anyOf: [{ properties: { n: schema }, required: ["x"] }, { properties: { n: schema }, minProperties: 2 }],
    };
  }
  let text: Text = "x";
  for (let depth = 0; depth < 12; depth++) text = { n: text };
  const context = await contextOf({ Body: schema });
  let asked = 0;
  class CountingLoader extends ValidatorLoader {
    override async load(): ReturnType<ValidatorLoader["load"]> {
      const createValidator = await super.load();
      return (steps) => {
        const isValid = createValidator(steps);
        return (value, schema) => {
          asked++;
          return isValid(value, schema);
        };
      };
    }
  }
  const validators = new CountingLoader();
  const hints = readHints(context.document, context.schema, "request", validators);
  assert.deepEqual(await findValue(text, hints, validators), text);
  assert.ok(asked < 100_000, `${asked} values were validated`);
});
