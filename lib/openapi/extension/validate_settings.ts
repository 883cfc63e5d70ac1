/**
 * Validates the value of an `x-svc` against its schema.
 *
 * @module
 */
import { suggest } from "../../http/message.ts";
import type { SchemaDocument } from "../../schema/dialect.ts";
import type { Format } from "../../schema/format.ts";
import { isObject, type Node } from "../../schema/node.ts";
import { formatPointer, parsePointer } from "../../schema/pointer.ts";
import type { Schema } from "../../schema/schema.ts";
import { createSchemaReader } from "../../schema/schema_reader.ts";
import type { Source } from "../../schema/source.ts";
import { createValidator } from "../../schema/validator.ts";
import type { Violation } from "../../schema/violation.ts";
import { list, quote, show } from "../../schema/wording.ts";
import { describeSetting, propertiesOf } from "./describe_setting.ts";
import { EXTENSION_FORMATS } from "./formats.ts";
import { EXTENSION_SCHEMA } from "./schema.ts";
import type { SettingSchema } from "./setting_schema.ts";
import type { ExtensionSettings } from "./settings.ts";
import { writeJson } from "../../schema/json.ts";

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
  violations.push(...undeployable(EXTENSION_SCHEMA, valid, [], value, label));
  // The cast is safe: the value is valid against the schema that the type is derived from.
  return { settings: valid as ExtensionSettings, violations: distinct(violations) };
}

/** Finds valid values that new deployments refuse. */
function undeployable(
  schema: SettingSchema,
  value: unknown,
  path: readonly string[],
  whole: unknown,
  label: string,
): SettingViolation[] {
  if (typeof value === "string") {
    const { format } = schema;
    if (format === undefined || format === "double" || EXTENSION_FORMATS[format].isDeployable?.(value) !== false) {
      return [];
    }
    const { subject } = place(path, whole, label);
    return [{
      kind: "bad-value",
      message: `\`${subject}\` must be ${describeSetting(schema)}, not ${show(value)}.`,
      path,
    }];
  }
  const { items, properties = {} } = schema;
  if (Array.isArray(value)) {
    return items === undefined
      ? []
      : value.flatMap((item, index) => undeployable(items, item, [...path, String(index)], whole, label));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return property === undefined ? [] : undeployable(property, part, [...path, key], whole, label);
  });
}

/** Describes a violation for a person: one message for each missing or unknown key, or one for a bad value. */
function describe({ keyword, path, schema: pointer }: Violation, whole: unknown, label: string): SettingViolation[] {
  const schema = settingAt(pointer);
  // Skips the alternatives of a `oneOf` or `anyOf`: the violation of the `oneOf` or `anyOf` itself is described.
  if (schema === undefined) return [];
  const { subject, value } = place(path, whole, label);
  const bad = (message: string): SettingViolation[] => [{ kind: "bad-value", message, path }];
  const has = (name: string): boolean => isObject(value) && Object.hasOwn(value, name);
  switch (keyword) {
    case "additionalProperties": {
      const known = Object.keys(schema.properties ?? {});
      return Object.keys(isObject(value) ? value : {}).filter((key) => !known.includes(key)).map((key) => (
        { kind: "unknown-key", message: unknownKey(key, subject, known), path: [...path, key] }
      ));
    }
    case "required":
      return (schema.required ?? []).filter((name) => !has(name))
        .flatMap((name) => bad(`\`${subject}\` needs the field ${quote(name)}.`));
    case "oneOf": {
      const names = propertiesOf(schema.oneOf);
      const found = names.some(has) ? "it has both" : "it has none of them";
      return bad(`\`${subject}\` needs exactly one of ${list(names)}; ${found}.`);
    }
    case "anyOf":
      return bad(`\`${subject}\` needs one of ${list(propertiesOf(schema.anyOf))} at least.`);
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
