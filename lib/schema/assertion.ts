/**
 * The assertion keywords of JSON Schema, such as `type`, `minimum` and `required`, which check a value without
 * subschemas (2020-12 Validation, sections 6 and 7).
 *
 * @module
 */
import type { ReadPattern } from "../regexp/pattern.ts";
import { equalityKey, isEqual, membership } from "./json/equal.ts";
import type { Format } from "./format.ts";
import type { JsonObject } from "./json/node.ts";
import type { Schema, Type } from "./schema.ts";
import { isMultiple, isNumber, isOfType, isWithinLength } from "./json/value.ts";
import { writeJson } from "./json/json.ts";

/** An assertion keyword of one schema, prepared for values of one type. */
export interface Assertion<Value> {
  readonly keyword: string;
  readonly holds: (value: Value) => boolean;
  /** The messages of the violations, each beginning with `must`. Called only where `holds` returns `false`. */
  readonly messages: (value: Value) => string[];
  /** Only for `required` and `dependentRequired`: the missing property that each message is about. */
  readonly missing?: (value: Value) => string[];
}

/** The assertions of a schema, grouped by the type of the values that they apply to. */
export interface Assertions {
  readonly any: readonly Assertion<unknown>[];
  readonly number: readonly Assertion<number | bigint>[];
  readonly string: readonly Assertion<string>[];
  readonly array: readonly Assertion<readonly unknown[]>[];
  readonly object: readonly Assertion<JsonObject>[];
}

/** The formats and patterns that schemas refer to by name or text. */
export interface Vocabulary {
  readonly formats: ReadonlyMap<string, Format>;
  readonly readPattern: ReadPattern;
}

/** Prepares the assertion keywords of a schema, in the order in which their violations are reported. */
export function assertionsOf(schema: Schema, vocabulary: Vocabulary): Assertions {
  return {
    any: anyAssertions(schema, vocabulary),
    number: numberAssertions(schema),
    string: stringAssertions(schema, vocabulary),
    array: arrayAssertions(schema),
    object: objectAssertions(schema),
  };
}

function assertion<Value>(
  keyword: string,
  message: string,
  holds: (value: Value) => boolean,
): Assertion<Value> {
  return { keyword, holds, messages: () => [message] };
}

function anyAssertions(schema: Schema, { formats }: Vocabulary): Assertion<unknown>[] {
  const { types, enum: values, const: constant } = schema;
  const format = schema.format === undefined ? undefined : formats.get(schema.format);
  const assertions: Assertion<unknown>[] = [];
  if (types !== undefined) assertions.push(assertion("type", `must be ${types.join()}`, typeTest(types)));
  if (values !== undefined) {
    const message = `must be equal to one of the allowed values: ${show(values)}`;
    assertions.push(assertion("enum", message, membership(values)));
  }
  if (constant !== undefined) {
    const message = `must be equal to constant: ${writeJson(constant.value)}`;
    assertions.push(assertion("const", message, (value) => isEqual(value, constant.value)));
  }
  if (format !== undefined) {
    assertions.push(assertion("format", `must match format "${schema.format}"`, format.accepts));
  }
  return assertions;
}

/** Limit of the values of `enum` in a message. */
const MOST_SHOWN = 10;

function show(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_SHOWN).map((value) => writeJson(value)).join(", ");
  return values.length > MOST_SHOWN ? `${shown}, …` : shown;
}

function typeTest(types: readonly Type[]): (value: unknown) => boolean {
  const [type] = types;
  if (types.length > 1 || type === undefined) return (value) => types.some((type) => isOfType(value, type));
  // Avoids a second function call for the most frequent types.
  if (type === "string") return (value) => typeof value === "string";
  if (type === "number") return isNumber;
  return (value) => isOfType(value, type);
}

function numberAssertions(schema: Schema): Assertion<number | bigint>[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const assertions: Assertion<number | bigint>[] = [];
  if (maximum !== undefined) {
    assertions.push(assertion("maximum", `must be <= ${maximum}`, (value) => value <= maximum));
  }
  if (minimum !== undefined) {
    assertions.push(assertion("minimum", `must be >= ${minimum}`, (value) => value >= minimum));
  }
  if (exclusiveMaximum !== undefined) {
    const message = `must be < ${exclusiveMaximum}`;
    assertions.push(assertion("exclusiveMaximum", message, (value) => value < exclusiveMaximum));
  }
  if (exclusiveMinimum !== undefined) {
    const message = `must be > ${exclusiveMinimum}`;
    assertions.push(assertion("exclusiveMinimum", message, (value) => value > exclusiveMinimum));
  }
  if (multipleOf !== undefined) {
    const message = `must be multiple of ${multipleOf}`;
    assertions.push(assertion("multipleOf", message, (value) => isMultiple(value, multipleOf)));
  }
  return assertions;
}

function stringAssertions(schema: Schema, { readPattern }: Vocabulary): Assertion<string>[] {
  const { minLength, maxLength, pattern } = schema;
  const assertions: Assertion<string>[] = [];
  if (maxLength !== undefined) {
    const message = `must NOT have more than ${maxLength} characters`;
    assertions.push(assertion("maxLength", message, (value) => isWithinLength(value, 0, maxLength)));
  }
  if (minLength !== undefined) {
    const message = `must NOT have fewer than ${minLength} characters`;
    assertions.push(assertion("minLength", message, (value) => isWithinLength(value, minLength, Infinity)));
  }
  const expression = pattern === undefined ? undefined : readPattern(pattern);
  if (expression !== undefined) {
    assertions.push(assertion("pattern", `must match pattern "${pattern}"`, (value) => expression.test(value)));
  }
  return assertions;
}

function arrayAssertions({ minItems, maxItems, uniqueItems }: Schema): Assertion<readonly unknown[]>[] {
  const assertions: Assertion<readonly unknown[]>[] = [];
  if (maxItems !== undefined) {
    const message = `must NOT have more than ${maxItems} items`;
    assertions.push(assertion("maxItems", message, (value) => value.length <= maxItems));
  }
  if (minItems !== undefined) {
    const message = `must NOT have fewer than ${minItems} items`;
    assertions.push(assertion("minItems", message, (value) => value.length >= minItems));
  }
  if (uniqueItems === true) {
    const message = "must not have the same item twice";
    assertions.push(
      assertion("uniqueItems", message, (value) => new Set(value.map(equalityKey)).size === value.length),
    );
  }
  return assertions;
}

function objectAssertions(schema: Schema): Assertion<JsonObject>[] {
  const { required, minProperties, maxProperties, dependentRequired } = schema;
  const assertions: Assertion<JsonObject>[] = [];
  if (maxProperties !== undefined) {
    const message = `must NOT have more than ${maxProperties} properties`;
    assertions.push(assertion("maxProperties", message, (value) => Object.keys(value).length <= maxProperties));
  }
  if (minProperties !== undefined) {
    const message = `must NOT have fewer than ${minProperties} properties`;
    assertions.push(assertion("minProperties", message, (value) => Object.keys(value).length >= minProperties));
  }
  if (required !== undefined) {
    assertions.push({
      keyword: "required",
      holds: (value) => hasAll(value, required),
      messages: (value) => missing(value, required).map((name) => `must have required property '${name}'`),
      missing: (value) => missing(value, required),
    });
  }
  for (const [name, needed] of dependentRequired ?? []) {
    const message = `must have ${needed.length === 1 ? "property" : "properties"} ${
      needed.join(", ")
    } when property ${name} is present`;
    assertions.push({
      keyword: "dependentRequired",
      holds: (value) => !Object.hasOwn(value, name) || hasAll(value, needed),
      messages: (value) => missing(value, needed).map(() => message),
    });
  }
  return assertions;
}

function hasAll(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (!Object.hasOwn(value, name)) return false;
  return true;
}

function missing(value: JsonObject, names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(value, name));
}
