import type { Bytes } from "../http/handler.ts";
import { essence, type MediaType } from "../http/media_type.ts";
import { child, type Node } from "../schema/node.ts";
import { schemaTypes } from "./schema_types.ts";
import type { EncoderContext, Encoding } from "./body.ts";
import { latin1Bytes } from "./charset.ts";
import { toJson } from "./json.ts";
import { hasSignature, sampleFile } from "./sample_file.ts";

/** `data:image/png;base64,…` (RFC 2397). */
const DATA_URI = /^data:[^,]*;base64,/;

/**
 * Writes a string as the bytes that it stands for: decoded where the schema says `contentEncoding` or `format: byte`, or
 * where that makes it a file of its media type; else as text. Anything but a string is a small file of the media type
 * where there is one, and so is a generated string that is no such file.
 */
export function encodeBinary(value: unknown, mediaType: MediaType, context: EncoderContext): Encoding {
  const name = essence(mediaType);
  if (typeof value !== "string") return { body: sampleFile(name) ?? toJson(value) };

  const encoding = contentEncodingOf(schemaTypes(context.document, context.schema).schemas);
  const decoded = DATA_URI.test(value)
    ? fromBase64(value.replace(DATA_URI, ""), "base64")
    : fromBase64(value, encoding === "base64url" ? "base64url" : "base64");
  const file = [decoded, latin1Bytes(value)].find((bytes) => bytes && hasSignature(name, bytes));
  if (file !== undefined) return { body: file };
  const sample = context.form === "data" ? sampleFile(name) : undefined;
  if (sample !== undefined) return { body: sample };
  return { body: encoding !== undefined && decoded !== undefined ? decoded : value };
}

/** `base64` or `base64url` where schemas say that a string is encoded so. */
export function contentEncodingOf(schemas: readonly Node[]): "base64" | "base64url" | undefined {
  for (const schema of schemas) {
    const encoding = child(schema, "contentEncoding").value;
    if (encoding === "base64" || encoding === "base64url") return encoding;
    if (child(schema, "format").value === "byte") return "base64";
  }
  return undefined;
}

/** The bytes that base64 stands for; `undefined` when the text is something else. */
export function fromBase64(text: string, alphabet: "base64" | "base64url"): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
