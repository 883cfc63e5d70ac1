/**
 * Writes and reads multipart bodies.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7578 RFC 7578, multipart/form-data}
 * @see {@link https://www.rfc-editor.org/rfc/rfc2046#section-5.1 RFC 2046, section 5.1, Multipart Media Type}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#encoding-multipart-media-types OpenAPI 3.2}
 */
import type { Bytes } from "../http/handler.ts";
import { essence, type MediaType, parseMediaType, parseParameters } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, items, type Node } from "../schema/node.ts";
import { jsonContentOf } from "../schema/json_content.ts";
import { follow } from "../schema/reference.ts";
import { type Hints, readHints } from "../schema/hints.ts";
import { fileExtension } from "./binary.ts";
import type { DecodedBody, DecoderContext, EncoderContext, Encoding } from "./body.ts";
import { latin1Text } from "./charset.ts";
import { contentTypeOf, defaultContentType, encodingOfItem, encodingOfProperty } from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { fromJson } from "./json.ts";

/** A part to be written. */
interface PartToWrite {
  /** Name of the form's field; none in a list of parts. */
  name?: string;
  value: unknown;
  hints: Hints;
  encoding: Node<"Encoding"> | undefined;
}

/**
 * Writes an object as a part for each property, and for each item of a property that is an array; an array as a part for
 * each item; any other value as the only part. Encoding Objects name the media type and the headers of a part; without
 * an Encoding Object, objects and nested arrays are JSON, bytes `application/octet-stream`, the rest text.
 *
 * The boundary is always the same, unless the parts contain it.
 */
export async function encodeMultipart(
  value: unknown,
  mediaType: MediaType,
  context: EncoderContext,
): Promise<Encoding> {
  if (value === undefined) return { body: "" };
  const isForm = mediaType.subtype === "form-data";
  const parts: Bytes[] = [];
  for (const part of partsOf(value, context)) parts.push(await encodePartOf(part, isForm, context));

  const boundary = mediaType.parameters.get("boundary") ?? freeBoundary(parts);
  const chunks = parts.map((part) => concatenate([utf8(`--${boundary}\r\n`), part, utf8("\r\n")]));
  chunks.push(utf8(`--${boundary}--\r\n`));
  const isStream = context.mediaTypeObject && child(context.mediaTypeObject, "itemSchema").value !== undefined;
  return { body: isStream ? chunks : concatenate(chunks), boundary };
}

function partsOf(value: unknown, { document, hints, mediaTypeObject }: EncoderContext): PartToWrite[] {
  if (!isObject(value)) {
    const itemSchema = mediaTypeObject && child(mediaTypeObject, "itemSchema");
    const items = itemSchema?.value === undefined ? hints : readHints(document, itemSchema, "response").ofArray();
    return (Array.isArray(value) ? value : [value]).map((item, index) => ({
      value: item,
      hints: items.item(index),
      encoding: encodingOfItem(document, mediaTypeObject, index),
    }));
  }
  return Object.entries(value).flatMap(([name, property]): PartToWrite[] => {
    if (property === null || property === undefined) return [];
    const encoding = encodingOfProperty(document, mediaTypeObject, name);
    const propertyHints = hints.property(name);
    if (!Array.isArray(property)) return [{ name, value: property, hints: propertyHints, encoding }];
    return property.map((item, index) => ({ name, value: item, hints: propertyHints.item(index), encoding }));
  });
}

/** The headers and the body of a part. */
async function encodePartOf(
  { name, value, hints, encoding }: PartToWrite,
  isForm: boolean,
  { document, form, encodePart }: EncoderContext,
): Promise<Bytes> {
  const declared = contentTypeOf(encoding);
  const mediaType = declared ?? defaultContentType(document, hints, value);
  const encoded = typeof value === "string" && isJsonText(mediaType, hints)
    ? { body: utf8(value), contentType: mediaType }
    : await encodePart(value, mediaType, { document, hints, mediaTypeObject: encoding }, form);

  const parsed = parseMediaType(mediaType);
  const isFile = parsed !== undefined && formatOf(parsed) === "binary";
  const headers: string[] = [];
  if (name !== undefined) {
    const fileName = isFile ? `; filename="${quoted(`${name}.${fileExtension(essence(parsed))}`)}"` : "";
    headers.push(`Content-Disposition: form-data; name="${quoted(name)}"${fileName}`);
  }
  // In a form, a part without a type is text (RFC 7578, section 4.4).
  if (!isForm || declared !== undefined || mediaType !== "text/plain") {
    headers.push(`Content-Type: ${encoded.contentType}`);
  }
  headers.push(...partHeaders(document, encoding));
  const { body } = encoded;
  const content = body instanceof Uint8Array ? [body] : body ?? [];
  return concatenate([utf8(`${headers.map((header) => `${header}\r\n`).join("")}\r\n`), ...content]);
}

/** Whether the text of a part of JSON is a string's content (`contentMediaType`), and not the JSON of the string. */
function isJsonText(mediaType: string, { schemas, types }: Hints): boolean {
  const parsed = parseMediaType(mediaType);
  if (parsed === undefined || formatOf(parsed) !== "json" || types.has("object") || types.has("array")) return false;
  return schemas.some((schema) => jsonContentOf(schema)?.encoding === "none");
}

/** The headers of a part for which the definition has a value. */
function partHeaders(document: Document, encoding: Node<"Encoding"> | undefined): string[] {
  if (encoding === undefined) return [];
  return entries(child(encoding, "headers")).flatMap(([name, written]) => {
    const lower = name.toLowerCase();
    if (lower === "content-type" || lower === "content-disposition") return [];
    const value = headerValue(document, follow(document, written));
    return value === undefined ? [] : [`${name}: ${String(value).replace(/[^\t\x20-\x7e]/g, "?")}`];
  });
}

function headerValue(document: Document, header: Node<"Header">): unknown {
  const [, example] = entries(child(header, "examples"))[0] ?? [];
  const schema = follow(document, child(header, "schema"));
  const candidates = [
    child(header, "example"),
    ...(example === undefined
      ? []
      : (["value", "dataValue", "serializedValue"] as const).map((key) => child(follow(document, example), key))),
    ...(["example", "default", "const"] as const).map((key) => child(schema, key)),
    ...items(child(schema, "examples")),
    ...items(child(schema, "enum")),
  ];
  return candidates.find(({ value }) => ["string", "number", "boolean"].includes(typeof value))?.value;
}

/** As browsers write names (HTML, section 4.10.21.8, Multipart form data). */
function quoted(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

/** A boundary that no part contains. */
function freeBoundary(parts: readonly Bytes[]): string {
  const texts = parts.map((part) => new TextDecoder("latin1").decode(part));
  for (let number = 1;; number++) {
    const boundary = `part-boundary-${number}`;
    if (!texts.some((text) => text.includes(`--${boundary}`))) return boundary;
  }
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function concatenate(chunks: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The value of a part. */
type PartReading = Exclude<DecodedBody, { kind: "unknown" }>;

/** A part that was read. */
interface PartRead {
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
  const { types } = context.hints;
  const isNamed = mediaType.subtype === "form-data" ? !types.has("array") : types.has("object");
  return isNamed ? await readFields(parts, context) : await readItems(parts, context);
}

/** Splits a body into its parts; returns a message for a malformed body, which follows the body's name. */
function splitParts(bytes: Uint8Array, boundary: string): PartRead[] | string {
  // Latin-1 makes a character of each byte, so that offsets of matches in the text are offsets in the bytes.
  const text = latin1Text(bytes);
  const delimiters = [
    ...text.matchAll(new RegExp(`(?:^|\\r\\n)--${RegExp.escape(boundary)}(--)?[ \\t]*(?=\\r\\n|$)`, "g")),
  ];
  const last = delimiters.findIndex(([, dashes]) => dashes !== undefined);
  if (delimiters.length === 0) return `has no parts: nowhere does it say --${boundary}`;
  if (last < 0) return `breaks off: it doesn't end with --${boundary}--`;
  const parts: PartRead[] = [];
  for (const [index, delimiter] of delimiters.slice(0, last).entries()) {
    const start = delimiter.index + delimiter[0].length;
    const end = delimiters[index + 1]?.index ?? text.length;
    const content = text.indexOf("\r\n\r\n", start) + 4;
    if (content < 4 || content > end) return `has a part ${index + 1} without an empty line after its headers`;
    parts.push(readHeaders(bytes.subarray(start, content), bytes.subarray(content, end)));
  }
  return parts;
}

function readHeaders(header: Uint8Array, bytes: Uint8Array): PartRead {
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

async function readFields(parts: readonly PartRead[], context: DecoderContext): Promise<DecodedBody> {
  const { document, mediaTypeObject, hints } = context;
  const members: [string, unknown][] = [];
  for (const [name, same] of Map.groupBy(parts, (part) => part.name)) {
    const encoding = encodingOfProperty(document, mediaTypeObject, name);
    const property = hints.property(name);
    const isList = same.length > 1 || property.types.has("array");
    const values: unknown[] = [];
    for (const part of same) {
      const partHints = isList ? property.item(values.length) : property;
      const read = await readPart(part, partHints, encoding, context);
      if (read.kind === "malformed") return { kind: "malformed", message: `has a part "${name}" that ${read.message}` };
      values.push(read.value);
    }
    // A client may also send the whole array as one JSON text.
    const [only] = values;
    members.push([name, isList && !(values.length === 1 && Array.isArray(only)) ? values : only]);
  }
  return { kind: "value", value: Object.fromEntries(members) };
}

async function readItems(parts: readonly PartRead[], context: DecoderContext): Promise<DecodedBody> {
  const { document, mediaTypeObject, hints } = context;
  const values: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const encoding = encodingOfItem(document, mediaTypeObject, index);
    const read = await readPart(part, hints.item(index), encoding, context);
    if (read.kind === "malformed") {
      return { kind: "malformed", message: `has a part ${index + 1} that ${read.message}` };
    }
    values.push(read.value);
  }
  return { kind: "value", value: values };
}

/**
 * Reads a part by its Content-Type header, else by its Encoding Object, else as text. The bytes of a file aren't
 * decoded where the schema allows a string.
 */
async function readPart(
  part: PartRead,
  hints: Hints,
  encoding: Node<"Encoding"> | undefined,
  { document, decodePart }: DecoderContext,
): Promise<PartReading> {
  const { types } = hints;
  const isString = types.size === 0 || types.has("string");
  if (part.isFile && isString) return { kind: "value", value: latin1Text(part.bytes) };
  const mediaType = part.contentType ?? contentTypeOf(encoding);
  if (mediaType !== undefined && isJsonText(mediaType, hints)) {
    return { kind: "value", value: new TextDecoder().decode(part.bytes) };
  }
  const isStructured = types.has("object") || types.has("array");
  if (mediaType === undefined && isStructured && !types.has("string")) {
    const read = fromJson(new TextDecoder().decode(part.bytes));
    if (read.kind === "value") return read;
  }
  const context = { document, hints, mediaTypeObject: encoding };
  const read = await decodePart(part.bytes, mediaType ?? "text/plain", context);
  return read.kind === "unknown" ? { kind: "value", value: latin1Text(part.bytes) } : read;
}
