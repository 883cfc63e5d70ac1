import { MultipartParseError, type MultipartPart, parseMultipart } from "@remix-run/multipart-parser";
import type { MediaType } from "../../http/media_type.ts";
import type { Node } from "../../openapi/node.ts";
import type { SchemaTypes } from "../request/schema_types.ts";
import type { DecodedBody, DecoderContext } from "./body.ts";
import { latin1Text } from "./charset.ts";
import { contentTypeOf, encodingOfItem, encodingOfProperty } from "./encoding_object.ts";
import { fromJson } from "./json.ts";

/** What a part says. */
type PartReading = Exclude<DecodedBody, { kind: "unknown" }>;

/** More parts than any body has. */
const MOST_PARTS = 10_000;
const MOST_HEADER_BYTES = 16 * 1024;

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

/** The parts of a body, or what is wrong with it. */
function splitParts(bytes: Uint8Array, boundary: string): MultipartPart[] | string {
  const limits = {
    maxFileSize: bytes.length,
    maxTotalSize: bytes.length,
    maxParts: MOST_PARTS,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  try {
    return [...parseMultipart(bytes, { boundary, ...limits })];
  } catch (error) {
    if (!(error instanceof MultipartParseError)) throw error;
    return `can't be divided into parts: ${error.message}`;
  }
}

async function readFields(parts: readonly MultipartPart[], context: DecoderContext): Promise<DecodedBody> {
  const { document, mediaTypeObject, types } = context;
  const members: [string, unknown][] = [];
  for (const [name, same] of Map.groupBy(parts, (part) => part.name ?? "")) {
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

async function readItems(parts: readonly MultipartPart[], context: DecoderContext): Promise<DecodedBody> {
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
  part: MultipartPart,
  types: SchemaTypes,
  encoding: Node | undefined,
  { document, decodePart }: DecoderContext,
): Promise<PartReading> {
  const isString = types.allowed.size === 0 || types.allowed.has("string");
  if (part.isFile && isString) return { kind: "value", value: latin1Text(part.bytes) };
  const mediaType = part.headers["content-type"] ?? contentTypeOf(encoding);
  const isStructured = types.allowed.has("object") || types.allowed.has("array");
  if (mediaType === undefined && isStructured && !types.allowed.has("string")) {
    const read = fromJson(part.text);
    if (read.kind === "value") return read;
  }
  const [schema] = types.schemas;
  const context = { document, schema, mediaTypeObject: encoding };
  const read = await decodePart(part.bytes, mediaType ?? "text/plain", context);
  return read.kind === "unknown" ? { kind: "value", value: latin1Text(part.bytes) } : read;
}
