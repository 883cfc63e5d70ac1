import { NUMBER_RANGES } from "../../schema/format.ts";
import type { Schema, Type } from "../../schema/schema.ts";
import { isOfType } from "../../schema/json/value.ts";

/** Keywords that constrain the values of one type only. */
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
  ["string", ["contentMediaType", "pattern", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

function keywordsOf(type: Type): readonly (keyof Schema)[] {
  return KEYWORDS_OF.find(([other]) => other === (type === "integer" ? "number" : type))?.[1] ?? [];
}

function hasAny(schema: Schema, keywords: readonly (keyof Schema)[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

/** The types that two lists have in common. `integer` is a subset of `number`. */
export function intersectTypes(left: readonly Type[] | undefined, right: readonly Type[]): readonly Type[] {
  if (left === undefined) return right;
  const common = left.flatMap((type): Type[] => {
    if (right.includes(type)) return [type];
    const isNumeric = (type === "number" && right.includes("integer")) ||
      (type === "integer" && right.includes("number"));
    return isNumeric ? ["integer"] : [];
  });
  return [...new Set(common)];
}

/** The types that are allowed by each schema with `type`; `undefined` if no schema has `type`. */
export function allowedTypes(schemas: Iterable<Schema>): readonly Type[] | undefined {
  let allowed: readonly Type[] | undefined;
  for (const { types } of schemas) if (types !== undefined) allowed = intersectTypes(allowed, types);
  return allowed;
}

/**
 * All types, for schemas without `type`: types that the schemas' keywords constrain come first (`string` for
 * `minLength`).
 */
export function likelyTypes(schemas: readonly Schema[]): readonly Type[] {
  const likely = KEYWORDS_OF.filter(([, keywords]) => schemas.some((schema) => hasAny(schema, keywords)))
    .map(([type]) => type);
  if (schemas.some(({ format }) => NUMBER_RANGES.has(format ?? ""))) likely.push("number");
  return [...new Set<Type>([...likely, "string", "integer", "boolean", "object", "array", "number", "null"])];
}

/** Whether keywords of the schemas describe the arrays or objects among their values. Always true for scalar types. */
export function isDescribed(type: Type, schemas: readonly Schema[]): boolean {
  return (type !== "array" && type !== "object") || schemas.some((schema) => hasAny(schema, keywordsOf(type)));
}

/** The schema that an error message about a value of the type names: the first that constrains the type. */
export function constrainingSchema(schemas: readonly [Schema, ...Schema[]], type: Type): Schema {
  return schemas.find((schema) => hasAny(schema, keywordsOf(type))) ??
    schemas.find(({ types }) => types !== undefined) ?? schemas[0];
}

/** Whether the schemas allow no arrays and no objects; `false` if that depends on a choice. */
export function isScalar(schemas: readonly Schema[]): boolean {
  let types: readonly Type[] | undefined;
  for (const schema of schemas) {
    if (schema.types !== undefined) types = intersectTypes(types, schema.types);
    if (schema.enum?.every((value) => !isOfType(value, "object")) || schema.const !== undefined) return true;
  }
  return types !== undefined && !types.includes("object") && !types.includes("array");
}
