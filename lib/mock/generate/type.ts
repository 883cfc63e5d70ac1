import { NUMBER_RANGES } from "../../schema/format.ts";
import type { Schema, Type } from "../../schema/schema.ts";
import { type Conjunction, intersectTypes } from "./conjunction.ts";
import { isOfType } from "../../schema/value.ts";

const KEYWORDS_OF: readonly [Type, readonly (keyof Schema)[]][] = [
  ["object", [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "minProperties",
    "propertyNames",
    "dependentRequired",
    "unevaluatedProperties",
  ]],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems", "unevaluatedItems"]],
  ["string", ["pattern", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** The types that a schema without `type` speaks of, and then the others. */
export function likelyTypes(schemas: readonly Schema[]): readonly Type[] {
  const likely = KEYWORDS_OF.filter(([, keywords]) =>
    schemas.some((schema) => keywords.some((keyword) => schema[keyword] !== undefined))
  )
    .map(([type]) => type);
  if (schemas.some(({ format }) => NUMBER_RANGES.has(format ?? ""))) likely.push("number");
  return [...new Set<Type>([...likely, "string", "integer", "boolean", "object", "array", "number", "null"])];
}

/** Whether schemas say what is in an array or an object; what a scalar is needs no description. */
export function isDescribed(type: Type, schemas: Iterable<Schema>): boolean {
  if (type !== "array" && type !== "object") return true;
  const keywords = KEYWORDS_OF.find(([other]) => other === type)?.[1] ?? [];
  return [...schemas].some((schema) => keywords.some((keyword) => schema[keyword] !== undefined));
}

/** The schema that a message about a value of a type should name. */
export function culpritOf({ members }: Conjunction, type: Type): Schema {
  const keywords = KEYWORDS_OF.find(([other]) => other === (type === "integer" ? "number" : type))?.[1] ?? [];
  const [first] = members.keys();
  const culprit = [...members.keys()].find((schema) => keywords.some((keyword) => schema[keyword] !== undefined)) ??
    [...members.keys()].find(({ types }) => types !== undefined) ?? first;
  if (culprit === undefined) throw new RangeError("Cannot name a schema: there is none");
  return culprit;
}

/** Whether schemas allow nothing but scalars, as far as that can be told before a choice. */
export function isScalar(conjunction: Conjunction): boolean {
  let types: readonly Type[] | undefined;
  for (const schema of conjunction.members.keys()) {
    if (schema.types !== undefined) types = intersectTypes(types, schema.types);
    if (schema.enum?.every((value) => !isOfType(value, "object")) || schema.const !== undefined) return true;
  }
  return types !== undefined && !types.includes("object") && !types.includes("array");
}
