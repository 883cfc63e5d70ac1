/**
 * Checks the value of an `x-svc` against its schema.
 *
 * @module
 */
import { suggest } from "../../http/message.ts";
import { isObject } from "../../schema/node.ts";
import { formatPointer } from "../../schema/pointer.ts";
import { list, quote, show } from "../../schema/wording.ts";
import { describeSetting, propertiesOf } from "./describe_setting.ts";
import { EXTENSION_FORMATS } from "./formats.ts";
import { EXTENSION_SCHEMA, type SettingSchema } from "./schema.ts";
import type { ExtensionSettings } from "./settings.ts";

/** A key or a value of an `x-svc` that its schema refuses. */
export interface SettingViolation {
  readonly kind: "unknown-key" | "bad-value";
  readonly message: string;
  /** Keys and indices that lead from the `x-svc` to the value. */
  readonly path: readonly (string | number)[];
}

/** The settings of an `x-svc` without the parts that its schema refuses, and why it refuses them. */
export interface CheckedSettings {
  readonly settings: ExtensionSettings;
  readonly violations: readonly SettingViolation[];
}

/**
 * Checks the value of an `x-svc`. Invalid parts are left out of the settings, and so is an object or a list that isn't
 * valid without them.
 *
 * @param label Name of the value in messages: `x-svc`.
 */
export function checkSettings(value: Readonly<Record<string, unknown>>, label: string): CheckedSettings {
  const violations = violationsOf(value, EXTENSION_SCHEMA, []);
  let valid: unknown = value;
  for (let found = violations; found.length > 0; found = violationsOf(valid, EXTENSION_SCHEMA, [])) {
    valid = without(valid, new Set(found.map(({ path }) => formatPointer(path))), "");
  }
  return {
    // The type is made from the schema, which the value is valid against.
    settings: valid as ExtensionSettings,
    violations: violations.map((violation) => describe(violation, label)),
  };
}

/** A copy of a value without the parts that pointers lead to. */
function without(value: unknown, pointers: ReadonlySet<string>, pointer: string): unknown {
  const keep = (key: string | number): boolean => !pointers.has(pointer + formatPointer([key]));
  const copy = (part: unknown, key: string | number): unknown =>
    without(part, pointers, pointer + formatPointer([key]));
  if (Array.isArray(value)) return value.flatMap((item, index) => keep(index) ? [copy(item, index)] : []);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).filter(keep).map((key) => [key, copy(value[key], key)]));
}

function describe({ keyword, path, value, schema, property = "" }: Violation, label: string): SettingViolation {
  const subject = `\`${label}${formatPath(path)}\``;
  const given = (names: readonly string[]): string[] =>
    names.filter((name) => isObject(value) && Object.hasOwn(value, name));
  switch (keyword) {
    case "additionalProperties": {
      const parent = `${label}${formatPath(path.slice(0, -1))}`;
      const message = unknownKey(String(path.at(-1)), parent, Object.keys(schema.properties ?? {}));
      return { kind: "unknown-key", message, path };
    }
    case "required":
      return { kind: "bad-value", message: `${subject} needs the field ${quote(property)}.`, path };
    case "oneOf": {
      const names = propertiesOf(schema.oneOf);
      const found = given(names).length === 0 ? "it has none of them" : "it has both";
      return { kind: "bad-value", message: `${subject} needs exactly one of ${list(names)}; ${found}.`, path };
    }
    case "anyOf": {
      const names = propertiesOf(schema.anyOf);
      return { kind: "bad-value", message: `${subject} needs one of ${list(names)} at least.`, path };
    }
    case "minItems":
      return {
        kind: "bad-value",
        message: `${subject} must be a list with an item at least, not an empty list.`,
        path,
      };
    default:
      return { kind: "bad-value", message: `${subject} must be ${describeSetting(schema)}, not ${show(value)}.`, path };
  }
}

/** Says that a key isn't known, and which one may be meant. */
function unknownKey(key: string, label: string, known: readonly string[]): string {
  const [nearest] = suggest(key, known);
  const advice = nearest === undefined ? `Its keys are ${list(known)}.` : `Did you mean ${quote(nearest)}?`;
  return `\`${label}\` has no key ${quote(key)}. ${advice}`;
}

function formatPath(path: readonly (string | number)[]): string {
  return path.map((part) => typeof part === "number" ? `[${part}]` : `.${part}`).join("");
}

/** A value that a keyword refuses. */
interface Violation {
  readonly keyword: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** The schema that has the keyword. */
  readonly schema: SettingSchema;
  /** The property that `required` misses. */
  readonly property?: string;
}

function violationsOf(value: unknown, schema: SettingSchema, path: readonly (string | number)[]): Violation[] {
  const { type, properties = {}, items } = schema;
  const failed = (keyword: string): Violation => ({ keyword, path, value, schema });
  if (type === "array") {
    if (!Array.isArray(value)) return [failed("type")];
    if (value.length < (schema.minItems ?? 0)) return [failed("minItems")];
    return items === undefined ? [] : value.flatMap((item, index) => violationsOf(item, items, [...path, index]));
  }
  if (type !== "object") return isValidScalar(value, schema) ? [] : [failed("type")];
  if (!isObject(value)) return [failed("type")];
  const has = ({ required: [name] }: { required: readonly [string] }): boolean => Object.hasOwn(value, name);
  return [
    ...Object.keys(value).flatMap((key): Violation[] => {
      const part = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const partPath = [...path, key];
      return part === undefined
        ? [{ keyword: "additionalProperties", path: partPath, value: value[key], schema }]
        : violationsOf(value[key], part, partPath);
    }),
    ...(schema.required ?? []).flatMap((property) =>
      Object.hasOwn(value, property) ? [] : [{ ...failed("required"), property }]
    ),
    ...(schema.oneOf === undefined || schema.oneOf.filter(has).length === 1 ? [] : [failed("oneOf")]),
    ...(schema.anyOf?.some(has) ?? true ? [] : [failed("anyOf")]),
  ];
}

function isValidScalar(value: unknown, schema: SettingSchema): boolean {
  const { type, minimum = -Infinity, maximum = Infinity, minLength = 0, format } = schema;
  if (typeof value === "string" || typeof value === "number") {
    if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  }
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string" && value.length >= minLength &&
        (format === undefined || EXTENSION_FORMATS[format].accepts(value));
    default:
      return typeof value === "number" && Number.isFinite(value) && value >= minimum && value <= maximum &&
        (type !== "integer" || Number.isInteger(value));
  }
}
