/**
 * Encodes values as bodies of any media type, by the format of the media type (format.ts).
 *
 * @module
 */
import { tokenOrQuotedString } from "../http/token.ts";
import type { Bytes } from "../http/handler.ts";
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { type Hints, readHints } from "../schema/hints.ts";
import type { BodyContext, EncodedBody, Encoder, EncoderContext, Encoding, ValueForm } from "./body.ts";
import { isUtf8, textEncoder } from "./charset.ts";
import { formatOf, type WireFormat } from "./format.ts";
import { encodeJson } from "./json.ts";
import { encodeEventStream, encodeJsonLines, encodeJsonTextSequence } from "./sequences.ts";
import { encodeHtml, encodePlainText } from "./text.ts";

export type { BodyContext, EncodedBody, ValueForm } from "./body.ts";

/** The encoder of each format. Encoders that few definitions need are imported at their first use. */
const ENCODERS: Readonly<Record<WireFormat, () => Encoder | Promise<Encoder>>> = {
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

/** Patterns that split the text of a sequence after each item. */
const AFTER_ITEM: Partial<Readonly<Record<WireFormat, RegExp>>> = {
  "event-stream": /(?<=\r\n\r\n|\n\n|\r\r)/,
  "json-lines": /(?<=\n)/,
  // deno-lint-ignore no-control-regex
  "json-seq": /(?=\x1e)/,
};

/**
 * Encodes a value as a body.
 *
 * Bytes are sent unchanged, and so is text in the form `serialized`. In the form `example`, a string is sent unchanged
 * where it can only be the text of the body:
 *
 * - text, HTML, JSON lines, JSON text sequences, event streams: always;
 * - XML: if it starts with `<`; multipart: if it starts with `--`, the boundary;
 * - JSON: if it is JSON text and the schema doesn't allow a string; without a schema, if it is JSON text of an object
 *   or an array;
 * - forms, YAML, CSV: if the schema doesn't allow a string.
 *
 * A value that the media type can't represent is encoded as JSON text. `undefined` is no body, or the sample file of a
 * binary media type such as `image/png`. A generated value for such a media type is replaced by the sample file too.
 *
 * @param value The value to encode.
 * @param mediaType The media type with its parameters, as in the definition; not a range such as `image/*`.
 * @param form What the value stands for. Default: `example`.
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
export function encodeBody(
  value: unknown,
  mediaType: string,
  context: BodyContext,
  form: ValueForm = "example",
): Promise<EncodedBody> {
  const { document, schema, mediaTypeObject } = context;
  return encodeByHints(value, mediaType, {
    document,
    hints: readHints(document, schema, "response"),
    mediaTypeObject,
  }, form);
}

const encodeByHints: EncoderContext["encodePart"] = async (value, mediaType, context, form) => {
  if (value instanceof Uint8Array) return { body: new Uint8Array(value), contentType: mediaType };
  const parsed = parseMediaType(mediaType);
  // A key of `content` such as `default`, which is no media type, most likely stands for JSON.
  const format = parsed === undefined ? "json" : formatOf(parsed);
  const { body, boundary } = typeof value === "string" && isSerialized(value, form, format, context.hints)
    ? writtenText(value, format)
    : await (await ENCODERS[format]())(value, parsed ?? JSON_TYPE, { ...context, form, encodePart: encodeByHints });

  const charset = parsed?.parameters.get("charset");
  const encodeText = await textEncoder(charset);
  const toBytes = (chunk: string | Bytes): Bytes => typeof chunk === "string" ? encodeText(chunk) : chunk;
  const isText = typeof body === "string" && body !== "" && isUtf8(charset) && body.isWellFormed();
  const isComplete = boundary === undefined || parsed?.parameters.has("boundary") === true;
  return {
    body: body.length === 0 ? null : Array.isArray(body) ? body.map(toBytes) : toBytes(body),
    ...(isText ? { text: body } : {}),
    contentType: isComplete ? mediaType : `${mediaType}; boundary=${boundary}`,
  };
};

const JSON_TYPE: MediaType = { type: "application", subtype: "json", parameters: new Map() };

/** Whether a string is the text of the body, rather than a value to encode. */
function isSerialized(text: string, form: ValueForm, format: WireFormat, hints: Hints): boolean {
  return form === "example" ? isTextOfBody(text, format, hints) : form === "serialized";
}

/** Whether a string in the form `example` is the text of the body, as {@linkcode encodeBody} describes. */
export function isTextOfBody(text: string, format: WireFormat, hints: Hints): boolean {
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

/** Makes a body of its finished text. Splits a sequence into items, and finds the boundary of a multipart text. */
function writtenText(text: string, format: WireFormat): Encoding {
  const afterItem = AFTER_ITEM[format];
  if (afterItem !== undefined) return { body: text.split(afterItem) };
  const [, boundary] = format === "multipart" ? /^--(\S+)/.exec(text) ?? [] : [];
  return boundary === undefined ? { body: text } : { body: text, boundary: tokenOrQuotedString(boundary) };
}
