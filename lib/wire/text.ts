/**
 * Encodes and decodes plain text and HTML.
 *
 * @module
 */
import { essence, type MediaType } from "../http/media_type.ts";
import type { Hints } from "../schema/hints.ts";
import { takeValues, tooManyValues, writeJson } from "../schema/json/json.ts";
import type { DecodedBody, DecoderContext, EncoderContext, Encoding } from "./body.ts";
import { decodeStrictly } from "../http/decode_strictly.ts";
import { toJson } from "./json.ts";
import type { SampleFile } from "./sample_files.ts";
import { countValues, decodeByHints } from "./text_value.ts";

/**
 * Encodes a string as it is, any other value as JSON text. Text of a media type with a sample file, such as
 * `text/calendar`, is the sample file if there is no value, or if a generated value isn't such a text.
 */
export async function encodePlainText(
  value: unknown,
  mediaType: MediaType,
  { form }: EncoderContext,
): Promise<Encoding> {
  if (SAMPLES.test(mediaType.subtype) && (value === undefined || form === "data")) {
    const sample = await loadSample(essence(mediaType));
    const isSuch = typeof value === "string" && value.startsWith(sample?.signature ?? "");
    if (sample?.text !== undefined && !isSuch) return { body: sample.text };
  }
  return { body: typeof value === "string" ? value : toJson(value) };
}

/** Matches the subtypes of texts that may have a sample file. */
const SAMPLES = /^(?:calendar|(?:x-)?vcard)$/;

async function loadSample(essence: string): Promise<SampleFile | undefined> {
  return (await import("./sample_files.ts")).sampleOf(essence);
}

/** Encodes a string as it is, any other value as an HTML page that shows its JSON text. */
export function encodeHtml(value: unknown): Encoding {
  if (typeof value === "string" || value === undefined) return { body: value ?? "" };
  const json = writeJson(value, 2).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return { body: `<!doctype html>\n<meta charset="utf-8">\n<title>Mock</title>\n<pre>${json}</pre>\n` };
}

export function isText({ types }: Hints): boolean {
  return types.has("string") && !types.has("object") && !types.has("array");
}

/** Decodes a text by the types of its schema: `3` is a number where the schema has the type `integer`. */
export function decodePlainText(
  bytes: Uint8Array,
  mediaType: MediaType,
  { hints, validators, values }: DecoderContext,
): DecodedBody {
  const charset = mediaType.parameters.get("charset");
  const text = decodeStrictly(bytes, { charset });
  if (text === undefined) return { kind: "malformed", message: `is not text in ${charset ?? "UTF-8"}` };
  if (!takeValues(values, countValues(text, hints))) return { kind: "too-large", message: tooManyValues(values) };
  return decodeByHints(text, hints, validators);
}
