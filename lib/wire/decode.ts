/**
 * Reads bodies of any media type as values that a schema can judge: the inverse of encode.ts.
 *
 * @module
 */
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { type SchemaTypes, schemaTypes } from "./schema_types.ts";
import type { DecodedBody, Decoder, DecoderContext, LazyJudge, ReaderContext } from "./body.ts";
import type { FitsWithin } from "./fit.ts";
import { type Format, formatOf } from "./format.ts";
import { itemSchemaOf } from "./item_schema.ts";
import { decodeJson } from "./json.ts";
import { decodePlainText, isText } from "./text.ts";

export type { BodyContext, DecodedBody, ReaderContext } from "./body.ts";

/** Where each format has its decoder. */
const DECODERS: Readonly<Record<Format, () => Decoder | Promise<Decoder>>> = {
  "binary": () => () => ({ kind: "unknown" }),
  "csv": async () => (await import("./csv.ts")).decodeCsv,
  "event-stream": async () => (await import("./event_stream.ts")).decodeEventStream,
  "form": async () => (await import("./form.ts")).decodeForm,
  "html": () => decodePlainText,
  "json": () => decodeJson,
  "json-lines": async () => (await import("./json_sequence.ts")).decodeJsonLines,
  "json-seq": async () => (await import("./json_sequence.ts")).decodeJsonTextSequence,
  "multipart": async () => (await import("./multipart_read.ts")).decodeMultipart,
  "text": () => decodePlainText,
  "xml": async () => (await import("./xml/decode.ts")).decodeXml,
  "yaml": async () => (await import("./yaml.ts")).decodeYaml,
};

/** Formats whose bodies are never a single string. */
const TEXTUAL: ReadonlySet<Format> = new Set(["csv", "event-stream", "form", "json-lines", "json-seq"]);

/** Reads a body; `contentType` is that of the message, with its parameters. JSON and text are read at once. */
export type BodyReader = (bytes: Uint8Array, contentType: string) => DecodedBody | Promise<DecodedBody>;

/**
 * Makes the reader of bodies that a definition describes; made once, it can be used for any number of bodies.
 *
 * Text becomes what the schema wants: `3` is a number where it wants an integer, one `<item>` an array where it wants
 * an array. Where XML may mean more than one value, it is one that fits the schema. What doesn't fit stays as it is, for
 * the schema to judge. A schema that is about a string is about the text of the body, and the items of a sequence may be
 * described one by one ({@linkcode itemSchemaOf}): the value is an array. Bytes (images, files of a form) become a
 * string with a character for each byte.
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
  return createReader(context, createLazyJudge(context));
}

/** Reads one body: see {@linkcode createBodyReader}. */
export async function decodeBody(bytes: Uint8Array, contentType: string, context: ReaderContext): Promise<DecodedBody> {
  return await createBodyReader(context)(bytes, contentType);
}

function createLazyJudge({ document, direction = "request" }: ReaderContext): LazyJudge {
  let loaded: FitsWithin | undefined;
  return {
    loaded: () => loaded,
    load: async () => {
      const { loadFits } = await import("./fit.ts");
      return loaded ??= await loadFits(document, direction);
    },
  };
}

function createReader(context: ReaderContext, judge: LazyJudge): BodyReader {
  const { document, direction } = context;
  const whole = schemaTypes(document, context.schema);
  const decodePart: DecoderContext["decodePart"] = async (bytes, contentType, part) =>
    await createReader({ ...part, direction }, judge)(bytes, contentType);
  return (bytes, contentType) => {
    const mediaType = parseMediaType(contentType);
    if (mediaType === undefined) return { kind: "unknown" };
    const itemSchema = itemSchemaOf(mediaType, context);
    const types = itemSchema === undefined ? whole : arrayTypes(schemaTypes(document, itemSchema));
    const decoder = DECODERS[isText(types) ? textFormatOf(mediaType) : formatOf(mediaType)]();
    const decode = (decoder: Decoder) => decoder(bytes, mediaType, { ...context, types, decodePart, judge });
    return decoder instanceof Promise ? decoder.then(decode) : decode(decoder);
  };
}

/** What the schema of its items says of an array. */
function arrayTypes(item: SchemaTypes): SchemaTypes {
  return {
    allowed: new Set(["array"]),
    schemas: [],
    alternatives: [],
    branches: [],
    propertyNames: new Set(),
    required: new Set(),
    describesOthers: false,
    property: () => item,
    item: () => item,
  };
}

/** The format that a body of a media type has whose schema is about its text, such as a table as one string. */
function textFormatOf(mediaType: MediaType): Format {
  const format = formatOf(mediaType);
  return TEXTUAL.has(format) ? "text" : format;
}
