/**
 * Random schemas, and small values to validate against them.
 *
 * @module
 */
import fc from "fast-check";
import { isObject } from "../../../lib/schema/json/node.ts";

const SCALARS = [null, true, false, 0, 1, 2, -1, 1.5, 100, "", "a", "bb", "a-1"];
const NAMES = ["a", "b", "c"];

/** Small values of all types. If a schema refuses all of them, other values are rarely valid either. */
export const SMALL_VALUES: unknown[] = [
  ...SCALARS,
  [],
  ...SCALARS.map((item) => [item]),
  ...SCALARS.flatMap((first) => [0, "a", true].map((second) => [first, second])),
  {},
  ...NAMES.flatMap((name) => SCALARS.map((value) => ({ [name]: value }))),
  ...SCALARS.flatMap((a) => SCALARS.map((b) => ({ a, b }))),
  ...[1, "a", null].flatMap((a) => [1, "a", null].flatMap((b) => [1, "a", []].map((c) => ({ a, b, c })))),
  { a: {} },
  { a: [] },
  { a: { a: 1 } },
  { a: { b: "a" } },
  [[]],
  [{}],
];

const count = fc.nat({ max: 3 });
const number = fc.oneof(fc.integer({ min: -5, max: 10 }), fc.constantFrom(0.5, 1.5, -0.1, 2.25));
const scalar = fc.constantFrom(...SCALARS);
const optional = { requiredKeys: [] as [] };

/** Random schemas with the keywords of a version of OpenAPI, and references to schemas named A and B. */
export function schemaOf(version: "3.0.3" | "3.1.0"): fc.Arbitrary<unknown> {
  const type = fc.constantFrom("string", "number", "integer", "boolean", "array", "object");
  const isNew = version === "3.1.0";
  const { schema } = fc.letrec<{ schema: unknown; part: unknown }>((tie) => {
    const part = tie("part");
    const parts = fc.array(part, { minLength: 1, maxLength: 3 });
    const properties = fc.dictionary(fc.constantFrom(...NAMES), part, { maxKeys: 3 });
    const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
    const scalars = [
      fc.record({ type }),
      fc.record({ type, enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }) }, optional),
      fc.record({ type: fc.constantFrom("number", "integer"), minimum: number, maximum: number }, optional),
      fc.record(
        { type: fc.constant("number"), multipleOf: fc.constantFrom(0.01, 0.5, 2, 3), minimum: number },
        optional,
      ),
      fc.record({ type: fc.constant("string"), minLength: count, maxLength: count }, optional),
      fc.record({
        type: fc.constant("string"),
        pattern: fc.constantFrom("^a", "b+$", "^[A-Z]{2}\\d$", "^(?!a).{3}$", "^(?=.*\\d)(?=.*[a-z]).{4,}$"),
        maxLength: fc.nat({ max: 8 }),
      }, optional),
      fc.record({
        type: fc.constant("string"),
        format: fc.constantFrom("date", "date-time", "uuid", "email", "uri", "ipv4", "byte", "hostname"),
        minLength: fc.nat({ max: 40 }),
      }, optional),
      fc.constantFrom({ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }),
    ];
    const bounds = isNew ? fc.record({ exclusiveMinimum: number, exclusiveMaximum: number }, optional) : fc.record({
      type: fc.constant("number"),
      minimum: number,
      exclusiveMinimum: fc.boolean(),
      nullable: fc.boolean(),
    }, optional);
    const compound = [
      bounds,
      fc.record({
        type: fc.constant("object"),
        properties,
        required: names,
        additionalProperties: fc.oneof(fc.boolean(), part),
        minProperties: count,
        maxProperties: count,
      }, optional),
      fc.record({
        type: fc.constant("array"),
        items: part,
        minItems: count,
        maxItems: count,
        uniqueItems: fc.boolean(),
      }, optional),
      fc.record({ allOf: parts, anyOf: parts, oneOf: parts, not: part, properties }, { requiredKeys: [] }),
      ...isNew
        ? [
          fc.record({ type: fc.array(type, { minLength: 1, maxLength: 2 }), const: scalar }, optional),
          fc.record({ if: part, then: part, else: part, properties }, optional),
          fc.record(
            {
              prefixItems: parts,
              items: fc.oneof(fc.boolean(), part),
              contains: part,
              minContains: count,
              maxContains: count,
              maxItems: count,
            },
            optional,
          ),
          fc.record(
            { patternProperties: fc.dictionary(fc.constantFrom("^a", "b|c"), part), required: names },
            optional,
          ),
          fc.record({ dependentRequired: fc.dictionary(fc.constantFrom(...NAMES), names), required: names }, optional),
          fc.record({ dependentSchemas: properties, required: names, properties }, optional),
          fc.record({ propertyNames: part, required: names, minProperties: count }, optional),
          fc.record(
            { allOf: parts, properties, unevaluatedProperties: fc.oneof(fc.boolean(), part), required: names },
            optional,
          ),
        ]
        : [],
    ];
    return {
      part: fc.oneof({ maxDepth: 3, depthSize: "small" }, ...scalars, tie("schema")),
      schema: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.oneof(...scalars), ...compound),
    };
  });
  return schema;
}

/** Keywords whose subschemas apply to the same value. Below: those of them that may negate a subschema. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];
const NEGATING = ["oneOf", "not", "if"];

/**
 * Tells whether a schema refers to itself for the same value through `not`, `if` or `oneOf`. Then a value would be
 * valid if and only if it were invalid. JSON Schema leaves the behaviour undefined (2020-12, section 9.4.1).
 */
export function isParadoxical(schemas: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(schemas).some((name) => leadsTo(name, schemas[name], false, new Set()));

  function leadsTo(name: string, schema: unknown, isNegated: boolean, seen: Set<string>): boolean {
    if (!isObject(schema)) return false;
    const target = String(schema["$ref"]).split("/").at(-1) ?? "";
    if (target === name && isNegated) return true;
    const key = `${target} ${isNegated}`;
    if (target in schemas && !seen.has(key)) {
      seen.add(key);
      if (leadsTo(name, schemas[target], isNegated, seen)) return true;
    }
    return IN_PLACE.some((keyword) => {
      const part = schema[keyword];
      const parts = Array.isArray(part)
        ? part
        : isObject(part) && keyword === "dependentSchemas"
        ? Object.values(part)
        : [part];
      return parts.some((member) => leadsTo(name, member, isNegated || NEGATING.includes(keyword), seen));
    });
  }
}
