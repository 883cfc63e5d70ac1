/**
 * Reads the keywords of a schema that hold no subschemas.
 *
 * @module
 */
import type { Dialect, Version } from "./dialect.ts";
import { isObject, type JsonObject } from "./json/node.ts";
import { convertedScalar } from "./convert.ts";
import { isNumber, isOfType } from "./json/value.ts";
import { isType, type Schema, type XmlNodeType, type XmlObject } from "./schema.ts";

/** A schema under construction, whose keywords can still be set. */
export type SchemaDraft = { -readonly [Key in keyof Schema]: Schema[Key] };

/** Copies the keywords that hold no subschemas from a Schema Object, translated to JSON Schema 2020-12. */
export function readScalarKeywords(schema: SchemaDraft, value: JsonObject, dialect: Dialect, version: Version): void {
  readAny(schema, value, dialect);
  readNumber(schema, value);
  readString(schema, value);
  readCounts(schema, value);
  if (value["uniqueItems"] === true) schema.uniqueItems = true;
  readAnnotations(schema, value);
  readXml(schema, value, version);
}

function readAny(schema: SchemaDraft, value: JsonObject, dialect: Dialect): void {
  const written = Array.isArray(value["type"]) ? value["type"] : [value["type"]];
  const types = written.filter(isType);
  const nullable = (dialect.nullable && value["nullable"] === true) ||
    (dialect.customNullable && value["x-nullable"] === true);
  if (types.length > 0) schema.types = nullable && !types.includes("null") ? [...types, "null"] : types;
  if (Array.isArray(value["enum"])) readEnum(schema, value["enum"]);
  if (Object.hasOwn(value, "const")) schema.const = { value: value["const"] };
  if (typeof value["format"] === "string") schema.format = value["format"];
}

/**
 * Reads `enum`. Where none of its values is of the schema's `type`, but each can be converted to it, as with
 * `{type: string, enum: [1, 2]}`, the author meant both: the schema then allows the values as they are written, and as
 * they are converted.
 */
function readEnum(schema: SchemaDraft, listed: readonly unknown[]): void {
  schema.enum = listed;
  const { types } = schema;
  const values = listed.filter((value) => value !== null);
  if (
    types === undefined || values.length === 0 || values.some((value) => types.some((type) => isOfType(value, type)))
  ) {
    return;
  }
  const converted = values.map((value) => convertedScalar(value, types));
  if (converted.includes(undefined)) return;
  schema.enum = [...listed, ...converted];
  schema.hasForeignEnum = true;
  schema.types = [...types, ...new Set(values.map((value) => isNumber(value) ? "number" : typeof value))]
    .filter(isType);
}

function readNumber(schema: SchemaDraft, value: JsonObject): void {
  for (const [bound, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
    const limit = limitIn(value[bound]);
    const exclusiveLimit = limitIn(value[exclusive]);
    // Up to draft 4, and in OpenAPI 3.0, `exclusiveMinimum` is a boolean that makes `minimum` exclusive; likewise
    // `maximum`.
    if (limit !== undefined) schema[value[exclusive] === true ? exclusive : bound] = limit;
    if (exclusiveLimit !== undefined) schema[exclusive] = exclusiveLimit;
  }
  const multipleOf = limitIn(value["multipleOf"]);
  if (multipleOf !== undefined && multipleOf > 0) schema.multipleOf = multipleOf;
}

function readString(schema: SchemaDraft, value: JsonObject): void {
  if (typeof value["pattern"] === "string") schema.pattern = value["pattern"];
  if (typeof value["contentEncoding"] === "string") schema.contentEncoding = value["contentEncoding"];
  if (typeof value["contentMediaType"] === "string") schema.contentMediaType = value["contentMediaType"];
}

const COUNTS = [
  "minLength",
  "maxLength",
  "minContains",
  "maxContains",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

function readCounts(schema: SchemaDraft, value: JsonObject): void {
  for (const keyword of COUNTS) {
    const number = finite(value[keyword]);
    if (number !== undefined && number >= 0) {
      schema[keyword] = keyword.startsWith("min") ? Math.ceil(number) : Math.floor(number);
    }
  }
}

function readAnnotations(schema: SchemaDraft, value: JsonObject): void {
  const examples = Array.isArray(value["examples"]) ? [...value["examples"]] : [];
  if (Object.hasOwn(value, "example")) examples.unshift(value["example"]);
  if (examples.length > 0) schema.examples = examples;
  if (Object.hasOwn(value, "default")) schema.default = { value: value["default"] };
  const extensions = Object.keys(value).filter((key) => key.startsWith("x-"));
  if (extensions.length > 0) schema.extensions = Object.fromEntries(extensions.map((key) => [key, value[key]]));
}

const XML_NODE_TYPES: ReadonlySet<unknown> = new Set(
  ["element", "attribute", "text", "cdata", "none"] satisfies XmlNodeType[],
);

function isXmlNodeType(value: unknown): value is XmlNodeType {
  return XML_NODE_TYPES.has(value);
}

function readXml(schema: SchemaDraft, value: JsonObject, version: Version): void {
  const written = value["xml"];
  if (!isObject(written)) return;
  const xml: { -readonly [Key in keyof XmlObject]: XmlObject[Key] } = {};
  if (isXmlNodeType(written["nodeType"])) xml.nodeType = written["nodeType"];
  else if (written["attribute"] === true) xml.nodeType = "attribute";
  else if (written["wrapped"] === true) xml.nodeType = "element";
  // In OpenAPI 3.2 a schema with `$ref` produces no XML node unless it has `nodeType`; its target does (section
  // 4.26.1).
  if (version === "3.2" && schema.references !== undefined && xml.nodeType === undefined) return;
  for (const key of ["name", "prefix", "namespace"] as const) {
    const text = written[key];
    if (typeof text === "string" && text !== "") xml[key] = text;
  }
  schema.xml = xml;
}

function limitIn(value: unknown): number | bigint | undefined {
  return typeof value === "bigint" ? value : finite(value);
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
