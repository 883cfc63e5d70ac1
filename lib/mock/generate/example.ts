import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Schema, Type } from "../../schema/schema.ts";
import { convertedScalar } from "../../schema/convert.ts";
import { allowedTypes } from "./type.ts";
import { type Conjunction, schemasOf } from "./conjunction.ts";
import { readJsonText } from "../../schema/json/json.ts";

/** The part of an object that the examples of its schemas describe. */
export interface ObjectExample {
  /** The values that examples have for the object's properties, by name; the first of them is tried first. */
  readonly values: ReadonlyMap<string, readonly unknown[]>;
  /**
   * Whether examples tell which properties the object has, as far as this one is concerned: each schema that declares
   * it, has an example or belongs to a schema with one.
   */
  readonly describes: (name: string) => boolean;
}

const NOTHING: ObjectExample = { values: new Map(), describes: () => false };

/**
 * Puts the examples of an object together.
 *
 * @param prescribed Examples that enclosing values have for the whole object. They come first.
 * @param usesOwn Whether the examples of the object's schemas follow, such as those of the members of an `allOf`.
 */
export function objectExampleOf(
  conjunction: Conjunction,
  prescribed: readonly unknown[],
  usesOwn: boolean,
): ObjectExample {
  const whole = prescribed.find(isObject);
  const schemas = schemasOf(conjunction);
  const own = usesOwn ? schemas.filter((schema) => !isDescribedFromOutside(conjunction, schema)) : [];
  const parts = own.map(exampleOf).filter((example) => example !== undefined);
  const examples: readonly JsonObject[] = whole === undefined ? parts : [whole, ...parts];
  if (examples.length === 0) return NOTHING;
  const values = new Map<string, unknown[]>();
  for (const example of examples) {
    for (const [name, value] of Object.entries(example)) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  const undescribed = whole === undefined ? schemas.filter((schema) => !isDescribed(conjunction, schema)) : [];
  return { values, describes: (name) => !undescribed.some(({ properties }) => properties?.has(name)) };
}

/**
 * Whether no example of the schemas describes an object as a whole: several members of an `allOf` have one, or members
 * with properties of their own have none.
 */
export function hasPartialExamples(conjunction: Conjunction): boolean {
  if (conjunction.members.size < 2) return false;
  const schemas = schemasOf(conjunction);
  const sources = schemas.filter((schema) =>
    exampleOf(schema) !== undefined && !isDescribedFromOutside(conjunction, schema)
  );
  return sources.length > 1 ||
    (sources.length === 1 &&
      schemas.some((schema) => schema.properties !== undefined && !isDescribed(conjunction, schema)));
}

function exampleOf({ examples }: Schema): JsonObject | undefined {
  return examples?.find(isObject);
}

function isDescribed(conjunction: Conjunction, schema: Schema): boolean {
  return exampleOf(schema) !== undefined || isDescribedFromOutside(conjunction, schema);
}

/** Whether a schema that contains this one, or refers to it, has an example. */
function isDescribedFromOutside({ members }: Conjunction, schema: Schema): boolean {
  for (let at = members.get(schema); at !== undefined; at = members.get(at)) {
    if (exampleOf(at) !== undefined) return true;
  }
  return false;
}

/** A date and a time without the zone that RFC 3339 demands, with a `T` or a space between them. */
const TIME_WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?)$/;

/**
 * The values that an example of another type may stand for, if nothing of it is lost: `"5"` for a number, `5` for a
 * text, `"a"` for the only item of an array, JSON text for an object.
 */
export function conversionsOf(example: unknown, schemas: readonly Schema[]): readonly unknown[] {
  const types = allowedTypes(schemas);
  const allows = (type: Type): boolean => types === undefined || types.includes(type);
  const converted: unknown[] = [convertedScalar(example, types) ?? []].flat();
  if (typeof example === "string") {
    if (example === "null" && allows("null")) converted.push(null);
    if (/^\s*[[{]/.test(example) && (allows("object") || allows("array"))) converted.push(...jsonOf(example));
    if (TIME_WITHOUT_ZONE.test(example) && schemas.some(({ format }) => format === "date-time")) {
      converted.push(example.replace(TIME_WITHOUT_ZONE, "$1T$2Z"));
    }
  }
  if (types?.includes("array") === true && !Array.isArray(example) && example !== null) converted.push([example]);
  return converted;
}

function jsonOf(text: string): unknown[] {
  try {
    return [readJsonText(text)];
  } catch {
    return [];
  }
}
