/**
 * JSON text in strings (2020-12 Validation, section 8): `contentMediaType` says that a string holds JSON text,
 * `contentEncoding` how its bytes are encoded, and `contentSchema` describes the parsed value.
 *
 * @module
 * @see {@link https://json-schema.org/draft/2020-12/json-schema-validation#section-8 JSON Schema 2020-12, section 8}
 */
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { encodeBase64 } from "../../http/base64.ts";
import { parseMediaType } from "../../http/media_type.ts";
import { type ParsedJson, parseJson } from "./json.ts";
import type { Schema } from "../schema.ts";

/** The encoding of the bytes of a JSON text in a string. */
export type ContentEncoding = "none" | "base64" | "base64url";

/** The keywords of a schema for JSON text in a string. */
export interface JsonContent {
  readonly encoding: ContentEncoding;
  /** The schema of the parsed JSON text; `undefined` where any JSON text is valid. */
  readonly schema: Schema | undefined;
}

/** Limit of strings that are parsed as JSON text, in UTF-16 code units. Longer strings are invalid. */
export const LONGEST_JSON_CONTENT = 1_000_000;

/** UTF-16 code units that are parsed in one step of work. */
const PARSED = 16;

const ENCODINGS: Readonly<Record<string, ContentEncoding>> = {
  "7bit": "none",
  "8bit": "none",
  "binary": "none",
  "base64": "base64",
  "base64url": "base64url",
};

/** Reads the keywords of a schema for JSON text in a string; `undefined` for a schema of other strings. */
export function jsonContentOf(schema: Schema): JsonContent | undefined {
  const { contentMediaType, contentEncoding, contentSchema } = schema;
  if (contentMediaType === undefined || !isJson(contentMediaType)) return undefined;
  const name = contentEncoding?.toLowerCase();
  const encoding = name === undefined ? "none" : Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined;
  return encoding && { encoding, schema: contentSchema };
}

function isJson(written: string): boolean {
  const mediaType = parseMediaType(written);
  if (mediaType === undefined) return false;
  return mediaType.suffix === "json" || /^(?:x-)?json$/.test(mediaType.subtype);
}

/** The steps that parsing a JSON text takes from a budget. */
export function stepsToParse(text: string): number {
  return 1 + Math.ceil(Math.min(text.length, LONGEST_JSON_CONTENT) / PARSED);
}

export function parseJsonContent(text: string, encoding: ContentEncoding): ParsedJson {
  if (text.length > LONGEST_JSON_CONTENT) {
    return { kind: "malformed", reason: `can't be checked: it is longer than ${LONGEST_JSON_CONTENT} characters` };
  }
  const json = encoding === "none" ? text : decode(text, encoding);
  return json === undefined ? { kind: "malformed", reason: `is not ${encoding} of UTF-8` } : parseJson(json);
}

function decode(text: string, alphabet: "base64" | "base64url"): string | undefined {
  try {
    return decodeStrictly(Uint8Array.fromBase64(text, { alphabet }));
  } catch {
    return undefined;
  }
}

/** Encodes a JSON text as the string of a value, by `contentEncoding`. */
export function encodeJsonContent(json: string, encoding: ContentEncoding): string {
  if (encoding === "none") return json;
  const bytes = new TextEncoder().encode(json);
  return encodeBase64(bytes, encoding);
}
