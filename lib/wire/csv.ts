/**
 * Comma-separated and tab-separated values.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc4180 RFC 4180}
 */
import { CsvError, parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { essence, type MediaType } from "../http/media_type.ts";
import { takeValues, tooManyValues } from "../schema/json/json.ts";
import { isObject } from "../schema/json/node.ts";
import type { Hints } from "../schema/hints.ts";
import type { DecodedBody, DecoderContext, Encoding } from "./body.ts";
import { decodeStrictly } from "../http/decode_strictly.ts";
import { fromJson, toJson } from "./json.ts";
import { toValue } from "./text_value.ts";

/**
 * Encodes an array as a table with a row for each item; a value that isn't an array is the only row. If all items are
 * objects, their keys make the header, unless the media type has the parameter `header=absent`. Otherwise the members
 * of an array are the fields of its row, and any other item is the only field of its row.
 *
 * In a field, an object or array is JSON text, and `null` is empty. A string instead of an array is the text of the
 * whole table.
 */
export function encodeCsv(value: unknown, mediaType: MediaType): Encoding {
  if (value === undefined || typeof value === "string") return { body: value ?? "" };
  const rows = Array.isArray(value) ? value : [value];
  if (rows.length === 0) return { body: "" };
  const options = { delimiter: delimiterOf(mediaType), record_delimiter: "\r\n", quoted_match: /[\r\n]/ };
  if (!rows.every(isObject)) {
    return { body: stringify(rows.map((row) => (Array.isArray(row) ? row : [row]).map(toField)), options) };
  }
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const fields = rows.map((row) => keys.map((key) => Object.hasOwn(row, key) ? toField(row[key]) : ""));
  return { body: stringify(hasHeader(mediaType) ? [keys, ...fields] : fields, options) };
}

/**
 * Decodes a table as an array of objects. The rows are arrays instead if the schema says so, or if the media type has
 * the parameter `header=absent`. An empty field is a string where the schema allows a string; else `null` where it
 * allows `null`; else the property is missing.
 */
export function decodeCsv(bytes: Uint8Array, mediaType: MediaType, { hints, values }: DecoderContext): DecodedBody {
  const text = decodeStrictly(bytes, { charset: mediaType.parameters.get("charset") });
  if (text === undefined) return { kind: "malformed", message: "is not CSV: it is not UTF-8" };
  try {
    if (!takeValues(values, countFields(text, delimiterOf(mediaType)))) {
      return { kind: "too-large", message: tooManyValues(values) };
    }
    const rows: unknown = parse(text, { delimiter: delimiterOf(mediaType), bom: true, skip_empty_lines: true });
    const records = Array.isArray(rows) ? rows.filter(isRecord) : [];
    if (!hasHeader(mediaType) || hints.item(0).types.has("array")) {
      const arrays = records.map((fields, row) =>
        fields.map((field, at) => fromField(field, hints.item(row).item(at)))
      );
      return { kind: "value", value: arrays };
    }
    const [header = [], ...body] = records;
    return { kind: "value", value: body.map((fields, row) => toObject(header, fields, hints.item(row))) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { kind: "malformed", message: `is not CSV: ${error.message}` };
  }
}

/** Counts the fields of a table, without those of empty lines. A quoted text may have delimiters and line breaks. */
function countFields(text: string, delimiter: string): number {
  let count = 1;
  let isQuoted = false;
  for (const [mark] of text.matchAll(/[",\t]|[\r\n]+/g)) {
    if (mark === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (mark === delimiter || mark !== "," && mark !== "\t")) count++;
  }
  return count;
}

function toObject(header: readonly string[], fields: readonly string[], hints: Hints): Record<string, unknown> {
  const members = header.map((name, at) => [name, fromField(fields[at] ?? "", hints.property(name))] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function fromField(field: string, hints: Hints): unknown {
  const { types } = hints;
  if (types.size === 0 || types.has("string")) return toValue(field, hints);
  if (field === "") return types.has("null") ? null : undefined;
  const nested = types.has("object") || types.has("array") ? fromJson(field) : undefined;
  return nested?.kind === "value" ? nested.value : toValue(field, hints);
}

function isRecord(row: unknown): row is string[] {
  return Array.isArray(row);
}

function toField(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : toJson(value);
}

function delimiterOf(mediaType: MediaType): string {
  return essence(mediaType) === "text/tab-separated-values" ? "\t" : ",";
}

function hasHeader(mediaType: MediaType): boolean {
  return mediaType.parameters.get("header") !== "absent";
}
