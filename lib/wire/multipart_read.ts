import { type MediaType, parseParameters } from "../http/media_type.ts";
import type { Node } from "../schema/node.ts";
import type { SchemaTypes } from "./schema_types.ts";
import type { DecodedBody, DecoderContext } from "./body.ts";
import { latin1Text } from "./charset.ts";
import { contentTypeOf, encodingOfItem, encodingOfProperty } from "./encoding_object.ts";
import { fromJson } from "./json.ts";

/** What a part says. */
type PartReading = Exclude<DecodedBody, { kind: "unknown" }>;

/** One of the parts. */
interface Part {
  bytes: Uint8Array;
  /** Name of the form's field; empty for none. */
  name: string;
  /** Whether it has the name of a file. */
  isFile: boolean;
  contentType: string | undefined;
}

/**
 * Reads a body of several parts: the inverse of `encodeMultipart`. A form, or anything else whose parts have names where
 * the schema wants an object, is an object; parts of one name are an array. Any other body is an array of its parts.
 */
export async function decodeMultipart(
  bytes: Uint8Array,
  mediaType: MediaType,
  context: DecoderContext,
): Promise<DecodedBody> {
  const boundary = mediaType.parameters.get("boundary");
  if (boundary === undefined || boundary === "") {
    return { kind: "malformed", message: "can't be divided into parts: the content type has no boundary" };
  }
  const parts = splitParts(bytes, boundary);
  if (typeof parts === "string") return { kind: "malformed", message: parts };
  const { types } = context;
  const isNamed = mediaType.subtype === "form-data" ? !types.allowed.has("array") : types.allowed.has("object");
  return isNamed ? await readFields(parts, context) : await readItems(parts, context);
}

/** The parts of a body, or what is wrong with it; the message goes after the name of what it is about. */
function splitParts(bytes: Uint8Array, boundary: string): Part[] | string {
  // A character for each byte, so that offsets in the text are offsets in the bytes.
  const text = latin1Text(bytes);
  const delimiters = [
    ...text.matchAll(new RegExp(`(?:^|\\r\\n)--${RegExp.escape(boundary)}(--)?[ \\t]*(?=\\r\\n|$)`, "g")),
  ];
  const last = delimiters.findIndex(([, dashes]) => dashes !== undefined);
  if (delimiters.length === 0) return `has no parts: nowhere does it say --${boundary}`;
  if (last < 0) return `breaks off: it doesn't end with --${boundary}--`;
  const parts: Part[] = [];
  for (const [index, delimiter] of delimiters.slice(0, last).entries()) {
    const start = delimiter.index + delimiter[0].length;
    const end = delimiters[index + 1]?.index ?? text.length;
    const content = text.indexOf("\r\n\r\n", start) + 4;
    if (content < 4 || content > end) return `has a part ${index + 1} without an empty line after its headers`;
    parts.push(readHeaders(bytes.subarray(start, content), bytes.subarray(content, end)));
  }
  return parts;
}

function readHeaders(header: Uint8Array, bytes: Uint8Array): Part {
  const headers = new Map<string, string>();
  for (const line of new TextDecoder().decode(header).replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = parseParameters(headers.get("content-disposition") ?? "");
  return {
    bytes,
    name: unquoted(disposition.get("name") ?? ""),
    isFile: disposition.has("filename") || disposition.has("filename*"),
    contentType: headers.get("content-type"),
  };
}

/** As browsers write names (HTML, section 4.10.21.8, Multipart form data). */
function unquoted(name: string): string {
  return name.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%22", '"');
}

async function readFields(parts: readonly Part[], context: DecoderContext): Promise<DecodedBody> {
  const { document, mediaTypeObject, types } = context;
  const members: [string, unknown][] = [];
  for (const [name, same] of Map.groupBy(parts, (part) => part.name)) {
    const encoding = encodingOfProperty(document, mediaTypeObject, name);
    const property = types.property(name);
    const isList = same.length > 1 || property.allowed.has("array");
    const values: unknown[] = [];
    for (const part of same) {
      const partTypes = isList ? property.item(values.length) : property;
      const read = await readPart(part, partTypes, encoding, context);
      if (read.kind === "malformed") return { kind: "malformed", message: `has a part "${name}" that ${read.message}` };
      values.push(read.value);
    }
    // A whole array may also be written as one JSON text.
    const [only] = values;
    members.push([name, isList && !(values.length === 1 && Array.isArray(only)) ? values : only]);
  }
  return { kind: "value", value: Object.fromEntries(members) };
}

async function readItems(parts: readonly Part[], context: DecoderContext): Promise<DecodedBody> {
  const { document, mediaTypeObject, types } = context;
  const values: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const encoding = encodingOfItem(document, mediaTypeObject, index);
    const read = await readPart(part, types.item(index), encoding, context);
    if (read.kind === "malformed") {
      return { kind: "malformed", message: `has a part ${index + 1} that ${read.message}` };
    }
    values.push(read.value);
  }
  return { kind: "value", value: values };
}

/**
 * Reads a part by the media type that it says it has, else by that of its Encoding Object, else as text. A file stays
 * bytes where the schema has a place for them.
 */
async function readPart(
  part: Part,
  types: SchemaTypes,
  encoding: Node | undefined,
  { document, decodePart }: DecoderContext,
): Promise<PartReading> {
  const isString = types.allowed.size === 0 || types.allowed.has("string");
  if (part.isFile && isString) return { kind: "value", value: latin1Text(part.bytes) };
  const mediaType = part.contentType ?? contentTypeOf(encoding);
  const isStructured = types.allowed.has("object") || types.allowed.has("array");
  if (mediaType === undefined && isStructured && !types.allowed.has("string")) {
    const read = fromJson(new TextDecoder().decode(part.bytes));
    if (read.kind === "value") return read;
  }
  const [schema] = types.schemas;
  const context = { document, schema, mediaTypeObject: encoding };
  const read = await decodePart(part.bytes, mediaType ?? "text/plain", context);
  return read.kind === "unknown" ? { kind: "value", value: latin1Text(part.bytes) } : read;
}
