/**
 * Bodies of several parts.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7578 RFC 7578, multipart/form-data}
 * @see {@link https://www.rfc-editor.org/rfc/rfc2046#section-5.1 RFC 2046, section 5.1, Multipart Media Type}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#encoding-multipart-media-types OpenAPI 3.2}
 */
import type { Bytes } from "../http/handler.ts";
import { essence, type MediaType, parseMediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, items, type Node } from "../schema/node.ts";
import { follow } from "../schema/reference.ts";
import { type SchemaTypes, schemaTypes } from "./schema_types.ts";
import type { EncoderContext, Encoding } from "./body.ts";
import { contentTypeOf, defaultContentType, encodingOfItem, encodingOfProperty } from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { fileExtension } from "./sample_file.ts";

/** What a part is made of. */
interface Part {
  /** Name of the form's field; none in a list of parts. */
  name?: string;
  value: unknown;
  types: SchemaTypes;
  encoding: Node | undefined;
}

/**
 * Writes an object as a part for each property, and for each item of a property that is an array; an array as a part for
 * each item; any other value as the only part. Encoding Objects say of what media type a part is and which headers it
 * has; without one, objects and nested arrays are JSON, bytes `application/octet-stream`, the rest text.
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

function partsOf(value: unknown, { document, schema, mediaTypeObject }: EncoderContext): Part[] {
  const types = schemaTypes(document, schema);
  if (!isObject(value)) {
    const itemSchema = mediaTypeObject && child(mediaTypeObject, "itemSchema");
    return (Array.isArray(value) ? value : [value]).map((item, index) => ({
      value: item,
      types: itemSchema?.value === undefined ? types.item(index) : schemaTypes(document, itemSchema),
      encoding: encodingOfItem(document, mediaTypeObject, index),
    }));
  }
  return Object.entries(value).flatMap(([name, property]): Part[] => {
    if (property === null || property === undefined) return [];
    const encoding = encodingOfProperty(document, mediaTypeObject, name);
    const propertyTypes = types.property(name);
    if (!Array.isArray(property)) return [{ name, value: property, types: propertyTypes, encoding }];
    return property.map((item, index) => ({ name, value: item, types: propertyTypes.item(index), encoding }));
  });
}

/** The headers and the body of a part. */
async function encodePartOf(
  { name, value, types, encoding }: Part,
  isForm: boolean,
  { document, form, encodePart }: EncoderContext,
): Promise<Bytes> {
  const declared = contentTypeOf(encoding);
  const mediaType = declared ?? defaultContentType(document, types, value);
  const [schema] = types.schemas;
  const encoded = await encodePart(value, mediaType, { document, schema, mediaTypeObject: encoding }, form);

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

/** The headers of a part of which the definition gives a value. */
function partHeaders(document: Document, encoding: Node | undefined): string[] {
  if (encoding === undefined) return [];
  return entries(child(encoding, "headers")).flatMap(([name, written]) => {
    const lower = name.toLowerCase();
    if (lower === "content-type" || lower === "content-disposition") return [];
    const value = headerValue(document, follow(document, written));
    return value === undefined ? [] : [`${name}: ${String(value).replace(/[^\t\x20-\x7e]/g, "?")}`];
  });
}

function headerValue(document: Document, header: Node): unknown {
  const [, example] = entries(child(header, "examples"))[0] ?? [];
  const schema = follow(document, child(header, "schema"));
  const candidates = [
    child(header, "example"),
    ...(example === undefined
      ? []
      : ["value", "dataValue", "serializedValue"].map((key) => child(follow(document, example), key))),
    ...["example", "default", "const"].map((key) => child(schema, key)),
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
