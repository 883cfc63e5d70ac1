/**
 * Writes values as bodies of any media type. format.ts finds the format of the media type. The encoder of that format
 * is loaded when it is first needed; bytes, and text that is a body already, need no encoder.
 *
 * @module
 */
import { tokenOrQuotedString } from "../http/token.ts";
import type { Bytes } from "../http/handler.ts";
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { type Hints, readHints } from "../schema/hints.ts";
import type { BodyContext, EncodedBody, Encoder, EncoderContext, Encoding, ValueForm } from "./body.ts";
import { encodeText } from "./charset.ts";
import { type Format, formatOf } from "./format.ts";
import { encodeJson } from "./json.ts";
import { encodeEventStream, encodeJsonLines, encodeJsonTextSequence } from "./sequences.ts";
import { encodeHtml, encodePlainText } from "./text.ts";

export type { BodyContext, EncodedBody, ValueForm } from "./body.ts";

/** Loads the encoder of each format. */
const ENCODERS: Readonly<Record<Format, () => Encoder | Promise<Encoder>>> = {
  "binary": async () => (await import("./binary.ts")).encodeBinary,
  "csv": async () => (await import("./csv.ts")).encodeCsv,
  "event-stream": () => encodeEventStream,
  "form": async () => (await import("./form.ts")).encodeForm,
  "html": () => encodeHtml,
  "json": () => encodeJson,
  "json-lines": () => encodeJsonLines,
  "json-seq": () => encodeJsonTextSequence,
  "multipart": async () => (await import("./multipart.ts")).encodeMultipart,
  "text": () => encodePlainText,
  "xml": async () => (await import("./xml/encode.ts")).encodeXml,
  "yaml": async () => (await import("./yaml.ts")).encodeYaml,
};

/** Splits the text of a sequence after each item. */
const AFTER_ITEM: Partial<Readonly<Record<Format, RegExp>>> = {
  "event-stream": /(?<=\r\n\r\n|\n\n|\r\r)/,
  "json-lines": /(?<=\n)/,
  // deno-lint-ignore no-control-regex
  "json-seq": /(?=\x1e)/,
};

/**
 * Writes a value as a body.
 *
 * Bytes go out as they are, and so does text in the form `serialized`. In the form `example`, a string is sent
 * unchanged where it can only be meant as the text of the body itself:
 *
 * - text, HTML, JSON lines, JSON text sequences, event streams: always;
 * - XML: when it starts with `<`; multipart: when it starts with `--`, the boundary;
 * - JSON: when it is JSON text and the schema doesn't allow a string, or, without a schema, JSON text of an object or
 *   an array;
 * - forms, YAML, CSV: when the schema doesn't allow a string.
 *
 * A value that a media type can't carry is written as JSON text. `undefined` is no body, unless the media type has a
 * sample file, as `image/png` has. A generated value for such a media type is replaced by that file too.
 *
 * @param value The value.
 * @param mediaType The media type with its parameters, as the definition has it; a concrete one, not a range.
 * @param form How the value is given. Default: `example`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../openapi/document.ts";
 *
 * const document = await parseDocument("openapi: 3.1.0\npaths: {}");
 * const { body, contentType } = await encodeBody({ name: "Puma" }, "application/xml", { document });
 * assert.ok(body instanceof Uint8Array);
 * assert.equal(new TextDecoder().decode(body), '<?xml version="1.0" encoding="UTF-8"?><doc><name>Puma</name></doc>');
 * assert.equal(contentType, "application/xml");
 * ```
 */
export async function encodeBody(
  value: unknown,
  mediaType: string,
  context: BodyContext,
  form: ValueForm = "example",
): Promise<EncodedBody> {
  const { document, schema, mediaTypeObject } = context;
  return await encodeByHints(value, mediaType, {
    document,
    hints: readHints(document, schema, "response"),
    mediaTypeObject,
  }, form);
}

const encodeByHints: EncoderContext["encodePart"] = async (value, mediaType, context, form) => {
  if (value instanceof Uint8Array) return { body: new Uint8Array(value), contentType: mediaType };
  const parsed = parseMediaType(mediaType);
  // A key of `content` that is no media type, such as `default`, most likely means JSON.
  const format = parsed === undefined ? "json" : formatOf(parsed);
  const { body, boundary } = typeof value === "string" && isSerialized(value, form, format, context.hints)
    ? writtenText(value, format)
    : await (await ENCODERS[format]())(value, parsed ?? JSON_TYPE, { ...context, form, encodePart: encodeByHints });

  const charset = parsed?.parameters.get("charset");
  const toBytes = (chunk: string | Bytes): Bytes => typeof chunk === "string" ? encodeText(chunk, charset) : chunk;
  const isComplete = boundary === undefined || parsed?.parameters.has("boundary") === true;
  return {
    body: body.length === 0 ? null : Array.isArray(body) ? body.map(toBytes) : toBytes(body),
    contentType: isComplete ? mediaType : `${mediaType}; boundary=${boundary}`,
  };
};

const JSON_TYPE: MediaType = { type: "application", subtype: "json", parameters: new Map() };

/** Whether a string is the text of the body itself, rather than a value to encode. */
function isSerialized(text: string, form: ValueForm, format: Format, hints: Hints): boolean {
  if (form !== "example") return form === "serialized";
  switch (format) {
    case "event-stream":
    case "html":
    case "json-lines":
    case "json-seq":
    case "text":
      return true;
    case "binary":
      return false;
    case "xml":
      return /^\s*</.test(text);
    case "multipart":
      return text.startsWith("--");
    case "json": {
      const { types } = hints;
      const isMeantAsJson = types.size === 0 ? /^\s*[[{]/.test(text) : !types.has("string");
      return isMeantAsJson && isJson(text);
    }
    case "csv":
    case "form":
    case "yaml":
      return !hints.types.has("string");
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Makes a body of its text, split into items for a sequence, with the boundary of a multipart text. */
function writtenText(text: string, format: Format): Encoding {
  const afterItem = AFTER_ITEM[format];
  if (afterItem !== undefined) return { body: text.split(afterItem) };
  const [, boundary] = format === "multipart" ? /^--(\S+)/.exec(text) ?? [] : [];
  return boundary === undefined ? { body: text } : { body: text, boundary: tokenOrQuotedString(boundary) };
}
