/**
 * Random schemas whose subschemas are shared over several levels.
 *
 * @module
 */
import fc from "fast-check";
import type { JsonObject } from "../../../lib/schema/json/node.ts";

const NAMES = ["a", "b"];

/** Schemas `S0` to `S<levels>`. Each one but `S0` refers to schemas of lower levels, mostly of the next lower one. */
export function sharingSchemas(levels: number): fc.Arbitrary<Record<string, unknown>> {
  const made = Array.from({ length: levels }, (_, index) => levelSchema(index + 1));
  return fc.tuple(leaf, ...made).map((schemas) =>
    Object.fromEntries(schemas.map((schema, level) => [`S${level}`, schema]))
  );
}

/** Values to validate against these schemas: small ones, and ones nested up to 8 levels deep. */
export const sharingValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(1, "a", "ab", null, [], {}, ["a"], [1, "a"], { a: "a" }, { a: 1, b: 1 }),
  fc.tuple(fc.constantFrom("a", "b", 0), fc.nat({ max: 8 }), fc.constantFrom<unknown[]>(1, "a", {}, []))
    .map(([key, depth, end]) => nested(key, depth, end)),
);

function nested(key: string | number, depth: number, end: unknown): unknown {
  let value = end;
  for (let level = 0; level < depth; level++) value = key === 0 ? [value, value] : { [key]: value };
  return value;
}

const leaf: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject[]>(
  { type: "string" },
  { type: "integer", minimum: 1 },
  { type: "object" },
  { type: "object", required: ["a"] },
  { type: "array", minItems: 1 },
  { type: ["string", "object", "array"] },
  { minLength: 2, maxLength: 1, type: "string" },
  { properties: { a: { type: "string" } } },
  { enum: ["a", 1, { a: 1 }] },
  { properties: { a: { readOnly: true, writeOnly: true } }, required: ["a"] },
  {},
);

function levelSchema(level: number): fc.Arbitrary<JsonObject> {
  // Mostly refer to the next lower level. The number of paths through the schemas then grows exponentially.
  const below = fc.oneof({ weight: 6, arbitrary: fc.constant(level - 1) }, { weight: 1, arbitrary: fc.nat(level - 1) })
    .map((target): JsonObject => ({ $ref: `#/components/schemas/S${target}` }));
  const part = fc.oneof({ weight: 8, arbitrary: below }, { weight: 1, arbitrary: leaf });
  const parts = fc.array(part, { minLength: 2, maxLength: 3 });
  const properties = fc.record({ a: part, b: part }, { requiredKeys: ["a"] });
  const required = fc.subarray(NAMES);
  const type = fc.constantFrom("object", "array");
  const keywords: Record<string, fc.Arbitrary<unknown>>[] = [
    { allOf: parts },
    { anyOf: parts },
    { oneOf: parts },
    { not: part },
    { not: parts.map((allOf) => ({ allOf })) },
    { if: part, then: part, else: part },
    { properties, required },
    { type: fc.constant("object"), properties, required, additionalProperties: part },
    { patternProperties: fc.record({ "^a": part, "b|a": part }) },
    { propertyNames: part, allOf: parts },
    { dependentSchemas: properties, required },
    { allOf: parts, unevaluatedProperties: fc.oneof(part, fc.constant(false)) },
    { items: part, contains: part },
    { prefixItems: parts, items: part, minItems: fc.nat(2) },
    { anyOf: parts, unevaluatedItems: part },
    { type, allOf: parts, properties, items: part },
    {
      oneOf: parts,
      discriminator: fc.record({
        propertyName: fc.constantFrom(...NAMES),
        mapping: fc.dictionary(fc.constantFrom(...NAMES), fc.nat(level).map((target) => `S${target}`)),
      }),
    },
    {
      allOf: parts,
      properties,
      discriminator: fc.record({
        propertyName: fc.constantFrom(...NAMES),
        mapping: fc.dictionary(fc.constantFrom(...NAMES), fc.nat(level).map((target) => `S${target}`)),
      }),
    },
  ];
  return fc.oneof(...keywords.map((model) => fc.record(model)));
}
