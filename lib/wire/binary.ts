/**
 * Encodes bodies of binary media types such as `image/png`: the bytes that a string stands for, or a small sample file.
 *
 * @module
 */
import type { Bytes } from "../http/handler.ts";
import { latin1Bytes } from "../http/latin1.ts";
import { essence, type MediaType } from "../http/media_type.ts";
import type { Schema } from "../schema/schema.ts";
import type { EncoderContext, Encoding } from "./body.ts";
import { toJson } from "./json.ts";
import { type SampleFile, sampleFile, sampleOf } from "./sample_files.ts";

const DATA_URI = /^data:[^,]*;base64,/;

/**
 * Encodes a value as bytes. A value that isn't a string becomes a sample file of the media type, or JSON text if there
 * is no sample file. For a string, the first of these rules applies:
 *
 * - If the string decoded from base64, or its characters taken as bytes, begin with the file signature of the media
 *   type: these bytes. The characters of a text file, such as SVG, are encoded as UTF-8.
 * - If the string was generated and there is a sample file of the media type: the sample file.
 * - If its schema has `contentEncoding` or `format: byte`: the string decoded from base64.
 * - Else: the string as text.
 */
export async function encodeBinary(value: unknown, mediaType: MediaType, context: EncoderContext): Promise<Encoding> {
  const name = essence(mediaType);
  if (typeof value !== "string") return { body: await anySampleFile(name) ?? toJson(value) };

  const sample = sampleOf(name);
  const encoding = contentEncodingOf(context.hints.schemas);
  const decoded = DATA_URI.test(value)
    ? fromBase64(value.replace(DATA_URI, ""), "base64")
    : fromBase64(value, encoding === "base64url" ? "base64url" : "base64");
  if (sample?.isUtf8 === true && value.startsWith(sample.signature)) return { body: value };
  const file = sample && [decoded, latin1Bytes(value)].find((bytes) => bytes && hasSignature(sample, bytes));
  if (file !== undefined) return { body: file };
  const generated = context.form === "data" ? await anySampleFile(name) : undefined;
  if (generated !== undefined) return { body: generated };
  return { body: encoding !== undefined && decoded !== undefined ? decoded : value };
}

async function anySampleFile(essence: string): Promise<Bytes | undefined> {
  const sample = sampleOf(essence);
  if (sample === undefined) return undefined;
  return sampleFile(essence) ?? (await import("./office_files.ts")).officeFile(essence);
}

/** Whether bytes begin with the file signature of a media type. */
function hasSignature({ signature }: SampleFile, bytes: Uint8Array): boolean {
  return [...signature].every((character, at) => bytes[at] === character.charCodeAt(0));
}

/** The base64 alphabet that schemas give with `contentEncoding` or `format: byte`; `undefined` without these. */
export function contentEncodingOf(schemas: readonly Schema[]): "base64" | "base64url" | undefined {
  for (const { contentEncoding, format } of schemas) {
    if (contentEncoding === "base64" || contentEncoding === "base64url") return contentEncoding;
    if (format === "byte") return "base64";
  }
  return undefined;
}

export function fromBase64(text: string, alphabet: "base64" | "base64url"): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
