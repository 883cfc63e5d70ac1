/**
 * Validates the value of an `x-svc` against its schema.
 *
 * @module
 */
import { suggest } from "../../http/message.ts";
import type { SchemaDocument } from "../../schema/dialect.ts";
import type { Format } from "../../schema/format.ts";
import { isObject, type Node } from "../../schema/json/node.ts";
import { formatPointer, parsePointer } from "../../schema/json/pointer.ts";
import type { Schema } from "../../schema/schema.ts";
import { createSchemaReader } from "../../schema/schema_reader.ts";
import type { Source } from "../../schema/json/source.ts";
import { createValidator } from "../../schema/validator.ts";
import type { Violation } from "../../schema/violation.ts";
import { list, quote, show } from "../../schema/wording.ts";
import { describeSetting, propertiesOf } from "./describe_setting.ts";
import { EXTENSION_FORMATS } from "./formats.ts";
import { EXTENSION_SCHEMA } from "./schema.ts";
import type { SettingSchema } from "./setting_schema.ts";
import type { ExtensionSettings } from "./settings.ts";
import { writeJson } from "../../schema/json/json.ts";

/** A key or a value of an `x-svc` that its schema refuses, with a message. */
export interface SettingViolation {
  readonly kind: "unknown-key" | "bad-value";
  readonly message: string;
  /** Keys and indexes that lead from the `x-svc` to the refused key or value. */
  readonly path: readonly string[];
}

/** The valid settings of an `x-svc`, and the violations of its other parts. */
export interface ValidatedSettings {
  readonly settings: ExtensionSettings;
  readonly violations: readonly SettingViolation[];
}

/** The type of {@linkcode validateSettings}. */
export type SettingsValidator = typeof validateSettings;

/**
 * Validates the value of an `x-svc`. Removes the invalid parts, and objects or lists that are invalid without them.
 *
 * @param label Name of the value in messages: `x-svc`.
 */
export function validateSettings(value: Readonly<Record<string, unknown>>, label: string): ValidatedSettings {
  const violations = EXTENSION_VALIDATOR.violationsOf(value).flatMap((violation) => describe(violation, value, label));
  let valid: unknown = value;
  for (let found = violations; found.length > 0;) {
    valid = without(valid, new Set(found.map(({ path }) => formatPointer(path))), "");
    const rest = valid;
    found = EXTENSION_VALIDATOR.violationsOf(rest).flatMap((violation) => describe(violation, rest, label));
  }
  const refused = undeployable(EXTENSION_SCHEMA, valid, [], value, label);
  if (refused.length > 0) valid = clamped(EXTENSION_SCHEMA, valid);
  // The cast is safe: the value is valid against the schema that the type is derived from.
  return { settings: valid as ExtensionSettings, violations: distinct([...violations, ...refused]) };
}

/** Finds valid values that new deployments refuse. */
function undeployable(
  schema: SettingSchema,
  value: unknown,
  path: readonly string[],
  whole: unknown,
  label: string,
): SettingViolation[] {
  return partsOf(schema, value)?.flatMap(({ key, schema, value }) =>
    undeployable(schema, value, [...path, key], whole, label)
  ) ?? (isDeployable(schema, value) ? [] : [{
    kind: "bad-value",
    message: `\`${place(path, whole, label).subject}\` must be ${describeSetting(schema)}, not ${show(value)}.`,
    path,
  }]);
}

/** Returns the items of a list, or the properties of an object, with their schemas; `undefined` for other values. */
function partsOf(
  { items, properties = {} }: SettingSchema,
  value: unknown,
): { key: string; schema: SettingSchema; value: unknown }[] | undefined {
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.map((item, index) => ({ key: String(index), schema: items, value: item }));
  }
  if (!isObject(value)) return undefined;
  return Object.entries(value).flatMap(([key, part]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return schema === undefined ? [] : [{ key, schema, value: part }];
  });
}

function isDeployable(schema: SettingSchema, value: unknown): boolean {
  const { format } = schema;
  if (typeof value === "string" && format !== undefined && format !== "double") {
    return EXTENSION_FORMATS[format].isDeployable?.(value) !== false;
  }
  return withinBounds(schema, value) === value;
}

/** Returns the nearest value within the bounds of new deployments. */
function withinBounds({ deployable = {} }: SettingSchema, value: unknown): unknown {
  const { minimum = -Infinity, maximum = Infinity, maxLength } = deployable;
  // The reader of definitions keeps integers beyond 2^53 as `bigint`.
  if (typeof value === "bigint") return withinBounds({ type: "integer", deployable }, Number(value));
  if (typeof value === "number" && value !== 0) return Math.min(Math.max(value, minimum), maximum);
  return typeof value === "string" && maxLength !== undefined ? value.slice(0, maxLength) : value;
}

/** Returns a valid value with all its parts within the bounds of new deployments. */
function clamped(schema: SettingSchema, value: unknown): unknown {
  const parts = partsOf(schema, value);
  if (parts === undefined) return withinBounds(schema, value);
  const changed = parts.map(({ key, schema, value }): [string, unknown] => [key, clamped(schema, value)]);
  return Array.isArray(value) ? changed.map(([, part]) => part) : Object.fromEntries(changed);
}

/** Describes a violation for a person: one message for each missing or unknown key, or one for a bad value. */
function describe({ keyword, path, schema: pointer }: Violation, whole: unknown, label: string): SettingViolation[] {
  const schema = settingAt(pointer);
  // Skips the alternatives of a `oneOf` or `anyOf`: the violation of the `oneOf` or `anyOf` itself is described.
  if (schema === undefined) return [];
  const { subject, value } = place(path, whole, label);
  const bad = (message: string): SettingViolation[] => [{ kind: "bad-value", message, path }];
  const has = (name: string): boolean => isObject(value) && Object.hasOwn(value, name);
  const known = Object.keys(schema.properties ?? {});
  const unknown = Object.keys(isObject(value) ? value : {}).filter((key) => !known.includes(key));
  // A misspelt key is reported as unknown, with the key that it stands for: that this one is missing says nothing more.
  const misspelt = unknown.flatMap((key) => suggest(key, known));
  const isMisspelt = (names: readonly string[]): boolean => names.some((name) => misspelt.includes(name));
  switch (keyword) {
    case "additionalProperties": {
      return unknown.map((key) => (
        { kind: "unknown-key", message: unknownKey(key, subject, known), path: [...path, key] }
      ));
    }
    case "required":
      return (schema.required ?? []).filter((name) => !has(name) && !isMisspelt([name]))
        .flatMap((name) => bad(`\`${subject}\` needs the field ${quote(name)}.`));
    case "oneOf": {
      const names = propertiesOf(schema.oneOf);
      if (isMisspelt(names) && !names.some(has)) return [];
      const found = names.some(has) ? "it has both" : "it has none of them";
      return bad(`\`${subject}\` needs exactly one of ${list(names)}; ${found}.`);
    }
    case "anyOf":
      return isMisspelt(propertiesOf(schema.anyOf))
        ? []
        : bad(`\`${subject}\` needs one of ${list(propertiesOf(schema.anyOf))} at least.`);
    case "minItems":
      return bad(`\`${subject}\` must be a list with an item at least, not ${show(value)}.`);
    case "maxItems":
      return bad(`\`${subject}\` must be a list of at most ${schema.maxItems} items, not of ${Object(value).length}.`);
    default:
      return bad(`\`${subject}\` must be ${describeSetting(schema)}, not ${show(value)}.`);
  }
}

/** The schema that contains the keyword at a JSON Pointer; `undefined` inside an alternative of `oneOf` or `anyOf`. */
function settingAt(pointer: string): SettingSchema | undefined {
  const tokens = parsePointer(pointer).slice(0, -1);
  let schema: SettingSchema | undefined = EXTENSION_SCHEMA;
  for (let index = 0; index < tokens.length && schema !== undefined; index++) {
    if (tokens[index] === "properties") schema = schema.properties?.[tokens[++index] ?? ""];
    else schema = tokens[index] === "items" ? schema.items : undefined;
  }
  return schema;
}

/**
 * Looks up a part of an `x-svc` by its path. Returns its value, and its name for messages as `subject`:
 * `x-svc.cors.origins[1]`.
 */
function place(path: readonly string[], whole: unknown, label: string): { subject: string; value: unknown } {
  let value = whole;
  let subject = label;
  for (const token of path) {
    subject += Array.isArray(value) ? `[${token}]` : `.${token}`;
    value = Object(value)[token];
  }
  return { subject, value };
}

/** Removes duplicate violations: several keywords may have the same message for one value. */
function distinct(violations: readonly SettingViolation[]): SettingViolation[] {
  return [
    ...new Map(violations.map((violation) => [formatPointer(violation.path) + violation.message, violation])).values(),
  ];
}

function unknownKey(key: string, label: string, known: readonly string[]): string {
  const [nearest] = suggest(key, known);
  const advice = nearest === undefined ? `Its keys are ${list(known)}.` : `Did you mean ${quote(nearest)}?`;
  return `\`${label}\` has no key ${quote(key)}. ${advice}`;
}

function without(value: unknown, pointers: ReadonlySet<string>, pointer: string): unknown {
  const keep = (key: string | number): boolean => !pointers.has(pointer + formatPointer([key]));
  const copy = (part: unknown, key: string | number): unknown =>
    without(part, pointers, pointer + formatPointer([key]));
  if (Array.isArray(value)) return value.flatMap((item, index) => keep(index) ? [copy(item, index)] : []);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).filter(keep).map((key) => [key, copy(value[key], key)]));
}

/** Validates values against the schema of `x-svc`. The schema is read when the first value is validated. */
class ExtensionValidator {
  readonly #validator = createValidator(formats(), readPattern);
  #schema: Schema | undefined;

  violationsOf(value: unknown): readonly Violation[] {
    const schema = this.#schema ??= readSchema();
    return this.#validator.isValid(value, schema) ? [] : this.#validator.violationsOf(value, schema, Infinity);
  }
}

const EXTENSION_VALIDATOR = new ExtensionValidator();

function formats(): Map<string, Format> {
  const formats = new Map(
    Object.entries(EXTENSION_FORMATS).map(([name, { accepts }]): [string, Format] => [
      name,
      { type: "string", accepts: (value) => typeof value !== "string" || accepts(value) },
    ]),
  );
  // YAML allows infinite numbers (`.inf`). They are refused, since JSON can't represent them.
  return formats.set("double", {
    type: "number",
    accepts: (value) => typeof value !== "number" || Number.isFinite(value),
  });
}

/** Compiles a pattern of the `x-svc` schema. None of its patterns takes exponential time to match. */
function readPattern(pattern: string): RegExp {
  return new RegExp(pattern, "u");
}

function readSchema(): Schema {
  const source: Source = {
    uri: "x-svc.json",
    value: EXTENSION_SCHEMA,
    isJson: true,
    isShared: true,
    text: () => writeJson(EXTENSION_SCHEMA),
    locate: (places) => places.map(() => 0),
  };
  const root: Node = { value: EXTENSION_SCHEMA, source, pointer: "" };
  const document: SchemaDocument = {
    version: "3.1",
    root: { value: {}, source, pointer: "" },
    sources: new Map([[source.uri, source]]),
    named: new Map(),
  };
  return createSchemaReader(document, "request").read(root);
}
