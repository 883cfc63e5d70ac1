/**
 * Encodes multipart bodies.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7578 RFC 7578, multipart/form-data}
 * @see {@link https://www.rfc-editor.org/rfc/rfc2046#section-5.1 RFC 2046, section 5.1, Multipart Media Type}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#encoding-multipart-media-types OpenAPI 3.2}
 */
import { joinBytes } from "../http/content_coding.ts";
import type { Bytes } from "../http/handler.ts";
import { essence, type MediaType, parseMediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, items, type Node } from "../schema/json/node.ts";
import { follow } from "../schema/json/reference.ts";
import { type Hints, readHints } from "../schema/hints.ts";
import type { EncoderContext, Encoding } from "./body.ts";
import {
  contentTypeOf,
  defaultContentType,
  encodingOfItem,
  encodingOfProperty,
  isJsonText,
} from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { fileExtension } from "./sample_files.ts";

interface PartToWrite {
  /** The name of the form's field; `undefined` in a list of parts without names. */
  name?: string;
  value: unknown;
  hints: Hints;
  encoding: Node<"Encoding"> | undefined;
}

/**
 * Encodes an object as a part for each property, and for each item of a property that is an array. An array becomes a
 * part for each item, any other value the only part. Encoding Objects give the media types and headers of the parts.
 * Without an Encoding Object, objects and nested arrays are JSON, bytes `application/octet-stream`, other values text.
 *
 * The boundary is constant, so that equal values give equal bodies. Only if a part contains the boundary, another is
 * used.
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
  const chunks = parts.map((part) => joinBytes([utf8(`--${boundary}\r\n`), part, utf8("\r\n")]));
  chunks.push(utf8(`--${boundary}--\r\n`));
  const isStream = context.mediaTypeObject && child(context.mediaTypeObject, "itemSchema").value !== undefined;
  return { body: isStream ? chunks : joinBytes(chunks), boundary };
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
  // `Content-Type: text/plain` is the default in a form (RFC 7578, section 4.4), so it is left out.
  if (!isForm || declared !== undefined || mediaType !== "text/plain") {
    headers.push(`Content-Type: ${encoded.contentType}`);
  }
  headers.push(...partHeaders(document, encoding));
  const { body } = encoded;
  const content = body instanceof Uint8Array ? [body] : body ?? [];
  return joinBytes([utf8(`${headers.map((header) => `${header}\r\n`).join("")}\r\n`), ...content]);
}

/**
 * The headers of a part that its Encoding Object declares and for which the definition has a value, such as an example.
 */
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

/** Escapes the name of a part as browsers do (HTML, section 4.10.21.8, Multipart form data). */
function quoted(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

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
