import type { Schema, SchemaReference, Type } from "../../schema/schema.ts";
import { isEqual, membership } from "../../schema/json/equal.ts";
import { spend, type Steps } from "../../regexp/steps.ts";

/** The deepest nesting of subschemas that is compared. */
const MOST_LEVELS = 8;

/** Keywords that don't restrict which values are valid, and properties of `Schema` that aren't keywords. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "node",
  "discriminator",
  "examples",
  "default",
  "extensions",
  "contentEncoding",
  "assertsContent",
]);

/**
 * Whether a schema subsumes other schemas: every value that satisfies all the others satisfies the schema, too.
 * Compares keyword by keyword. `true` is proven; `false` may mean that the comparison couldn't decide.
 */
export function subsumes(schema: Schema, others: readonly Schema[], steps: Steps, level = 0): boolean {
  return subsumesClosure(schema, withRequired(others, steps), steps, level);
}

/** Like {@linkcode subsumes}, for `given` schemas that {@linkcode withRequired} has already extended. */
export function subsumesClosure(schema: Schema, given: readonly Schema[], steps: Steps, level = 0): boolean {
  if (level > MOST_LEVELS) return false;
  spend(steps, 1 + given.length);
  if (given.includes(schema) || given.some(({ never }) => never !== undefined)) return true;
  const keywords = Object.keys(schema).filter((keyword): keyword is keyof Schema => !ANNOTATIONS.has(keyword));
  return keywords.every((keyword) => isKeywordSubsumed(keyword, schema, given, steps, level + 1));
}

/** The schemas, and all schemas that they require through `$ref` and `allOf` (the transitive closure). */
export function withRequired(schemas: readonly Schema[], steps: Steps): readonly Schema[] {
  if (schemas.every(({ references, allOf }) => references === undefined && allOf === undefined)) return schemas;
  const all = new Set(schemas);
  for (const { references = [], allOf = [] } of all) {
    spend(steps, 1);
    for (const { target } of references) {
      const followed = target();
      if (followed !== undefined) all.add(followed);
    }
    for (const member of allOf) all.add(member);
  }
  return [...all];
}

function isKeywordSubsumed(
  keyword: keyof Schema,
  schema: Schema,
  given: readonly Schema[],
  steps: Steps,
  level: number,
): boolean {
  const holds = (part: Schema): boolean => subsumesClosure(part, given, steps, level);
  switch (keyword) {
    case "references":
      return schema.references?.every(({ target }) => {
        const followed = target();
        return followed === undefined || holds(followed);
      }) ?? true;
    case "allOf":
      return schema.allOf?.every(holds) ?? true;
    case "anyOf":
      return (schema.anyOf?.some(holds) ?? true) || hasSameKeyword(keyword, schema, given, steps);
    case "types":
      return given.some(({ types }) => types?.every((type) => isAmong(type, schema.types ?? [])) ?? false);
    case "enum":
    case "const": {
      const isAllowed = membership(schema.enum ?? [schema.const?.value]);
      const listed = given.flatMap((other) => [other.enum, other.const && [other.const.value]]);
      return listed.some((values) => values?.every(isAllowed) ?? false);
    }
    case "required":
      return schema.required?.every((name) => given.some(({ required }) => required?.includes(name))) ?? true;
    case "properties":
      return [...schema.properties ?? []].every(([name, property]) => {
        const parts = given.flatMap(({ properties }) => properties?.get(name) ?? []);
        return subsumes(property, parts, steps, level);
      });
    case "items":
      if (schema.items === undefined || schema.prefixItems !== undefined) {
        return hasSameKeyword(keyword, schema, given, steps);
      }
      return subsumes(
        schema.items,
        given.flatMap(({ items, prefixItems }) => prefixItems ? [] : items ?? []),
        steps,
        level,
      );
    case "minimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return given.some((other) => (other[keyword] ?? -Infinity) >= (schema[keyword] ?? -Infinity));
    case "maximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return given.some((other) => (other[keyword] ?? Infinity) <= (schema[keyword] ?? Infinity));
    default:
      return hasSameKeyword(keyword, schema, given, steps);
  }
}

function isAmong(type: Type, types: readonly Type[]): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** Whether one of the given schemas has a keyword with the same value as `schema`. */
function hasSameKeyword(keyword: keyof Schema, schema: Schema, given: readonly Schema[], steps: Steps): boolean {
  // Keywords such as `if` and `then` have a meaning only together, so their values must be equal, too. `unevaluated…`
  // depends on all keywords.
  const keywords = keyword.startsWith("unevaluated") ? undefined : [keyword, ...BESIDE[keyword] ?? []];
  return given.some((other) =>
    other[keyword] !== undefined &&
    (keywords ?? keywordsOf(schema, other)).every((name) => isSameKeyword(name, schema, other, steps))
  );
}

const BESIDE: Partial<Record<keyof Schema, readonly (keyof Schema)[]>> = {
  additionalProperties: ["properties", "patternProperties"],
  contains: ["minContains", "maxContains"],
  minContains: ["contains", "maxContains"],
  maxContains: ["contains", "minContains"],
  contentSchema: ["contentMediaType", "contentEncoding", "assertsContent"],
  if: ["then", "else"],
  then: ["if", "else"],
  else: ["if", "then"],
  items: ["prefixItems"],
};

function keywordsOf(left: Schema, right: Schema): (keyof Schema)[] {
  const keywords = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keywords].filter((keyword): keyword is keyof Schema => !ANNOTATIONS.has(keyword));
}

function isSameKeyword(keyword: keyof Schema, left: Schema, right: Schema, steps: Steps): boolean {
  // `enum` and `const` contain values. Compare them as JSON, since a value may look like a schema.
  const isData = keyword === "enum" || keyword === "const";
  return isData ? isEqual(left[keyword], right[keyword]) : isSame(left[keyword], right[keyword], steps);
}

/** Whether two values of a keyword are equal, wherever in the definition they are written. */
function isSame(left: unknown, right: unknown, steps: Steps): boolean {
  if (left === right) return true;
  spend(steps, 1);
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (left instanceof Map) {
    return right instanceof Map && left.size === right.size &&
      [...left].every(([key, part]) => right.has(key) && isSame(part, right.get(key), steps));
  }
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length &&
      left.every((part, index) => isSame(part, right[index], steps));
  }
  if (isReference(left)) return isReference(right) && left.target() === right.target();
  if (isSchema(left)) {
    return isSchema(right) && keywordsOf(left, right).every((keyword) => isSameKeyword(keyword, left, right, steps));
  }
  return isEqual(left, right);
}

function isSchema(value: object): value is Schema {
  return "node" in value;
}

/**
 * Whether a part of a schema is a `$ref`. References are equal if their targets are, so that the comparison of
 * recursive schemas ends.
 */
function isReference(value: object): value is SchemaReference {
  return "target" in value && typeof value.target === "function";
}
