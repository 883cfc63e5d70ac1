import assert from "node:assert/strict";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { type Hints, readHints } from "../../../lib/schema/hints.ts";
import { child, type Node } from "../../../lib/schema/json/node.ts";

const integer = { type: "integer" };
const string = { type: "string" };

interface Case {
  name: string;
  version?: string;
  schema: unknown;
  /** Selects the hints to test from the schema's hints. Default: all. */
  of?: (hints: Hints) => Hints;
  want: string[];
}

const CASES: Case[] = [
  { name: "type", schema: integer, want: ["integer"] },
  { name: "no type", schema: {}, want: [] },
  {
    name: "nullable in OpenAPI 3.0",
    version: "3.0.3",
    schema: { ...integer, nullable: true },
    want: ["integer", "null"],
  },
  { name: "nullable in OpenAPI 3.1", schema: { ...integer, nullable: true }, want: ["integer"] },
  { name: "enum", schema: { enum: [1, "a", null] }, want: ["null", "number", "string"] },
  {
    name: "allOf",
    schema: { allOf: [{ type: ["integer", "string"] }, { type: ["string", "null"] }] },
    want: ["string"],
  },
  { name: "anyOf", schema: { anyOf: [integer, string] }, want: ["integer", "string"] },
  { name: "anyOf with a branch that allows any type", schema: { anyOf: [integer, {}] }, want: [] },
  { name: "if, then and else", schema: { if: { const: 1 }, then: integer, else: string }, want: ["integer", "string"] },
  { name: "if and then without else", schema: { if: { const: 1 }, then: integer }, want: [] },
  { name: "$ref", schema: { $ref: "#/components/schemas/Other" }, want: ["boolean"] },
  { name: "$ref with siblings", schema: { $ref: "#/components/schemas/Any", type: "string" }, want: ["string"] },
  {
    name: "$dynamicRef",
    schema: { $dynamicRef: "#T", $defs: { T: { $dynamicAnchor: "T", ...integer } } },
    want: ["integer"],
  },
  { name: "a cycle of references", schema: { $ref: "#/components/schemas/Circle" }, want: [] },
  { name: "keywords of objects", schema: { unevaluatedProperties: integer }, want: ["object"] },
  { name: "keywords of arrays", schema: { contains: integer }, want: ["array"] },
  { name: "properties", schema: { properties: { n: integer } }, of: (hints) => hints.property("n"), want: ["integer"] },
  {
    name: "properties of dependentSchemas",
    schema: { dependentSchemas: { a: { properties: { n: integer } } } },
    of: (hints) => hints.property("n"),
    want: ["integer"],
  },
  {
    name: "patternProperties of the name",
    schema: { patternProperties: { "^n": integer, "^s": string } },
    of: (hints) => hints.property("n1"),
    want: ["integer"],
  },
  {
    name: "properties and patternProperties together",
    schema: { properties: { n: { type: ["integer", "string"] } }, patternProperties: { "^n": integer } },
    of: (hints) => hints.property("n"),
    want: ["integer"],
  },
  {
    name: "additionalProperties",
    schema: { patternProperties: { "^s": string }, additionalProperties: integer },
    of: (hints) => hints.property("n"),
    want: ["integer"],
  },
  {
    name: "unevaluatedProperties",
    schema: { properties: { s: string }, unevaluatedProperties: integer },
    of: (hints) => hints.property("n"),
    want: ["integer"],
  },
  { name: "items", schema: { items: integer }, of: (hints) => hints.item(3), want: ["integer"] },
  {
    name: "prefixItems",
    schema: { prefixItems: [string], items: integer },
    of: (hints) => hints.item(0),
    want: ["string"],
  },
  { name: "unevaluatedItems", schema: { unevaluatedItems: integer }, of: (hints) => hints.item(0), want: ["integer"] },
  { name: "contains", schema: { contains: integer }, of: (hints) => hints.item(0), want: ["integer"] },
  { name: "items of a member of enum", schema: { enum: [[1], [2]] }, of: (hints) => hints.item(0), want: ["number"] },
];

Deno.test("Hints give the types of a value", async (t) => {
  const readPattern = await loadPatternReader();
  for (const { name, version = "3.1.1", schema, of = (hints: Hints) => hints, want } of CASES) {
    await t.step(name, async () => {
      const Circle = { allOf: [{ $ref: "#/components/schemas/Circle" }] };
      const document = await parseDocument(JSON.stringify({
        openapi: version,
        paths: {},
        components: { schemas: { Main: schema, Other: { type: "boolean" }, Any: {}, Circle } },
      }));
      const node = ["components", "schemas", "Main"].reduce<Node>(child, document.root);
      const hints = readHints(document, node, "request", { readPattern });
      assert.deepEqual([...of(hints).types].sort(), want);
    });
  }
});

Deno.test("Hints find the types of any number of names", async () => {
  const readPattern = await loadPatternReader();
  const letters = [..."abcdefghijklmnop"];
  const patternProperties = Object.fromEntries(letters.map((letter) => [letter, integer]));
  const document = await parseDocument(
    JSON.stringify({ openapi: "3.1.1", paths: {}, components: { schemas: { Main: { patternProperties } } } }),
  );
  const node = ["components", "schemas", "Main"].reduce<Node>(child, document.root);
  const hints = readHints(document, node, "request", { readPattern });
  // Each name matches a different set of patterns, so different schemas describe it.
  for (let bits = 1; bits < 40_000; bits++) {
    const name = letters.filter((_, index) => bits >> index & 1).join("");
    assert.deepEqual([...hints.property(name).types], ["integer"], name);
  }
});
