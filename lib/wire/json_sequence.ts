/**
 * JSON values one after the other.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7464 RFC 7464, JSON Text Sequences}
 * @see {@link https://github.com/ndjson/ndjson-spec NDJSON}
 */
import type { MediaType } from "../http/media_type.ts";
import type { DecodedBody, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";
import { fromJson, toJson } from "./json.ts";

/** Writes each item of an array on a line of its own; any other value is the only item. */
export function encodeJsonLines(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => `${toJson(item)}\n`) };
}

/** Writes each item of an array between a record separator and a line feed; any other value is the only item. */
export function encodeJsonTextSequence(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => `\x1e${toJson(item)}\n`) };
}

/** The items of a sequence. */
export function itemsOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Reads lines of JSON text as an array; empty lines are skipped. */
export function decodeJsonLines(bytes: Uint8Array, mediaType: MediaType): DecodedBody {
  return decodeItems(bytes, mediaType, "\n", "line");
}

/** Reads a JSON text sequence as an array. */
export function decodeJsonTextSequence(bytes: Uint8Array, mediaType: MediaType): DecodedBody {
  return decodeItems(bytes, mediaType, "\x1e", "record");
}

function decodeItems(bytes: Uint8Array, mediaType: MediaType, separator: string, kind: string): DecodedBody {
  const text = decodeText(bytes, mediaType.parameters.get("charset"));
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  const values: unknown[] = [];
  for (const [index, item] of text.split(separator).entries()) {
    if (item.trim() === "") continue;
    // A text sequence starts with a separator, so that its first record is the second piece.
    const read = fromJson(item, ` in ${kind} ${separator === "\n" ? index + 1 : index}`);
    if (read.kind !== "value") return read;
    values.push(read.value);
  }
  return { kind: "value", value: values };
}
