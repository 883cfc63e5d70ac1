/**
 * Decodes bodies of any media type as values that a validator can check: the inverse of encode.ts.
 *
 * @module
 */
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { type Hints, readHints } from "../schema/hints.ts";
import type { ValueCount } from "../schema/json/json.ts";
import type { Direction } from "../schema/schema.ts";
import {
  type DecodedBody,
  type Decoder,
  type DecoderContext,
  type HintedContext,
  MOST_VALUES,
  type ReaderContext,
} from "./body.ts";
import { formatOf, type WireFormat } from "./format.ts";
import { decodeJson } from "./json.ts";
import { decodeEventStream, decodeJsonLines, decodeJsonTextSequence, itemSchemaOf } from "./sequences.ts";
import { decodePlainText, isText } from "./text.ts";
import { ValidatorLoader } from "./chooser.ts";

export type { BodyContext, DecodedBody, ReaderContext } from "./body.ts";

/** The decoder of each format. Decoders that few definitions need are imported at their first use. */
const DECODERS: Readonly<Record<WireFormat, () => Decoder | Promise<Decoder>>> = {
  "binary": () => () => ({ kind: "unknown" }),
  "csv": async () => (await import("./csv.ts")).decodeCsv,
  "event-stream": () => decodeEventStream,
  "form": async () => (await import("./form_reader.ts")).decodeForm,
  "html": () => decodePlainText,
  "json": () => decodeJson,
  "json-lines": () => decodeJsonLines,
  "json-seq": () => decodeJsonTextSequence,
  "multipart": async () => (await import("./multipart_reader.ts")).decodeMultipart,
  "text": () => decodePlainText,
  "xml": async () => (await import("./xml/decode.ts")).decodeXml,
  "yaml": async () => (await import("./yaml.ts")).decodeYaml,
};

/**
 * Formats whose decoders never return a string. If the schema has the type `string`, the text of the body is the value.
 */
const TEXTUAL: ReadonlySet<WireFormat> = new Set(["csv", "event-stream", "form", "json-lines", "json-seq"]);

/**
 * Decodes a body by its Content-Type header. The result is a promise except for formats such as JSON and text, whose
 * decoders are synchronous.
 */
export type BodyReader = (bytes: Uint8Array, contentType: string) => DecodedBody | Promise<DecodedBody>;

/**
 * Makes the decoder of a body in a definition. Make a reader once, and use it for any number of bodies.
 *
 * Untyped text gets the types of the schema: `3` is a number where the schema has the type `integer`, and one `<item>`
 * is an array where the schema has the type `array`. Text that doesn't look like the type stays a string, which the
 * validator refuses. Where XML may stand for more than one value, the reader chooses one that the schema allows. Where
 * the schema has the type `string`, the value is the text of the body. Where the schema describes the items of a
 * sequence ({@linkcode itemSchemaOf}), the value is an array of items. Bytes (images, files in a form) become a string
 * with one character for each byte.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../openapi/document.ts";
 *
 * const document = await parseDocument("openapi: 3.1.0\npaths: {}");
 * const read = createBodyReader({ document });
 * const bytes = new TextEncoder().encode('{"name":"Puma"}');
 * assert.deepEqual(await read(bytes, "application/json"), { kind: "value", value: { name: "Puma" } });
 * ```
 */
export function createBodyReader(context: ReaderContext): BodyReader {
  const { document, schema, mediaTypeObject, direction = "request", formats = {} } = context;
  const validators = new ValidatorLoader();
  const hints = readHints(document, schema, direction, validators);
  const read = createReader({ document, hints, mediaTypeObject }, { direction, formats, validators });
  return (bytes, contentType) => read(bytes, contentType, { most: MOST_VALUES, left: MOST_VALUES });
}

/**
 * Decodes one body as {@linkcode createBodyReader} does, but without the search for other values that the body may
 * stand for.
 */
export async function decodeBody(bytes: Uint8Array, contentType: string, context: ReaderContext): Promise<DecodedBody> {
  const decoded = await createBodyReader(context)(bytes, contentType);
  return decoded.kind === "value" ? { kind: "value", value: decoded.value } : decoded;
}

/** Settings that the decoder of a body shares with the decoders of its parts. */
interface Shared extends Pick<DecoderContext, "formats" | "validators"> {
  readonly direction: Direction;
}

function createReader(
  context: HintedContext,
  shared: Shared,
): (bytes: Uint8Array, contentType: string, values: ValueCount) => DecodedBody | Promise<DecodedBody> {
  const { direction, formats, validators } = shared;
  let items: Hints | undefined;

  return (bytes, contentType, values) => {
    const decodePart: DecoderContext["decodePart"] = async (bytes, contentType, part) =>
      await createReader(part, shared)(bytes, contentType, values);
    const mediaType = parseMediaType(contentType);
    if (mediaType === undefined) return { kind: "unknown" };
    const hints = hintsFor(mediaType);
    const decoder = DECODERS[isText(hints) ? textFormatOf(mediaType) : formatOf(mediaType)]();
    const decode = (decoder: Decoder) =>
      decoder(bytes, mediaType, { ...context, hints, decodePart, formats, validators, values });
    return decoder instanceof Promise ? decoder.then(decode) : decode(decoder);
  };

  /**
   * The hints for a body of a media type. Where the schema describes the items of a sequence, they are hints for an
   * array of these items.
   */
  function hintsFor(mediaType: MediaType): Hints {
    const { document, hints, mediaTypeObject } = context;
    const itemSchema = itemSchemaOf(mediaType, hints, mediaTypeObject);
    if (itemSchema === undefined) return hints;
    const isOwn = itemSchema === hints.alternatives[0]?.node;
    return items ??= (isOwn ? hints : readHints(document, itemSchema, direction, validators)).ofArray();
  }
}

/**
 * The format for a body whose schema has the type `string`: a CSV table, for example, is then decoded as plain text.
 */
function textFormatOf(mediaType: MediaType): WireFormat {
  const format = formatOf(mediaType);
  return TEXTUAL.has(format) ? "text" : format;
}
