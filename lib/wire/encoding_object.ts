/**
 * Reads Encoding Objects, which give the properties of a form (`application/x-www-form-urlencoded` or multipart) a
 * style or a content type.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#encoding-object OpenAPI 3.1, Encoding Object}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#encoding-object OpenAPI 3.2, Encoding Object}
 */
import { concreteMediaType, parseAccept, parseMediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import { jsonContentOf } from "../schema/json_content.ts";
import { child, isObject, type Node, stringOf } from "../schema/node.ts";
import { follow } from "../schema/reference.ts";
import type { Hints } from "../schema/hints.ts";
import { contentEncodingOf } from "./binary.ts";
import { formatOf } from "./format.ts";

/** How a property of a form is written, in the terms of query parameters. */
export interface EncodingStyle {
  style: "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  explode: boolean;
  allowReserved: boolean;
}

/** The Encoding Object of a property. */
export function encodingOfProperty(
  document: Document,
  mediaTypeObject: Node<"MediaType" | "Encoding"> | undefined,
  name: string,
): Node<"Encoding"> | undefined {
  return mediaTypeObject && present(document, child(child(mediaTypeObject, "encoding"), name));
}

/** The Encoding Object of an item, by its position. */
export function encodingOfItem(
  document: Document,
  mediaTypeObject: Node<"MediaType" | "Encoding"> | undefined,
  index: number,
): Node<"Encoding"> | undefined {
  if (mediaTypeObject === undefined) return undefined;
  return present(document, child(child(mediaTypeObject, "prefixEncoding"), index)) ??
    present(document, child(mediaTypeObject, "itemEncoding"));
}

function present(document: Document, written: Node<"Encoding">): Node<"Encoding"> | undefined {
  const node = follow(document, written);
  return isObject(node.value) ? node : undefined;
}

/**
 * The style of a value; `undefined` when its Encoding Object has none of `style`, `explode` and `allowReserved`: then
 * its `contentType` applies.
 */
export function styleOf(encoding: Node<"Encoding"> | undefined): EncodingStyle | undefined {
  if (encoding === undefined) return undefined;
  const style = stringOf(child(encoding, "style"));
  const explode = child(encoding, "explode").value;
  const allowReserved = child(encoding, "allowReserved").value;
  if (style === undefined && typeof explode !== "boolean" && typeof allowReserved !== "boolean") return undefined;
  const known = (["spaceDelimited", "pipeDelimited", "deepObject"] as const).find((name) => name === style) ?? "form";
  return {
    style: known,
    explode: typeof explode === "boolean" ? explode : known === "form",
    allowReserved: allowReserved === true,
  };
}

/**
 * The first media type in the `contentType` of an Encoding Object; a range such as `image/*` is replaced by one of its
 * media types. `undefined` where there is no `contentType`.
 */
export function contentTypeOf(encoding: Node<"Encoding"> | undefined): string | undefined {
  const written = encoding && stringOf(child(encoding, "contentType"));
  const [first] = parseAccept(written ?? "");
  if (written === undefined || first === undefined) return undefined;
  return concreteMediaType(first, "application/octet-stream") ?? written.split(",")[0]?.trim();
}

/** The content type of a part whose Encoding Object has no `contentType`. */
export function defaultContentType(document: Document, { schemas, types }: Hints, value: unknown): string {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) return "application/json";
  const [mediaType] = schemas.flatMap(({ contentMediaType }) => contentMediaType ?? []);
  if (mediaType !== undefined) return mediaType;
  const isEncoded = document.version !== "3.0" && contentEncodingOf(schemas) !== undefined;
  const isBinary = schemas.some(({ format }) => format === "binary");
  // Since OpenAPI 3.1, a schema without a type means bytes.
  const isUntyped = document.version !== "3.0" && schemas.length > 0 && types.size === 0;
  const isText = typeof value === "string" || value instanceof Uint8Array;
  return isText && (isEncoded || isBinary || isUntyped) || value instanceof Uint8Array
    ? "application/octet-stream"
    : "text/plain";
}

/**
 * Whether the string of a JSON part is JSON text already, as `contentMediaType` of its schema says. Such a string is
 * the part itself, and isn't encoded as a JSON string.
 */
export function isJsonText(mediaType: string, { schemas, types }: Hints): boolean {
  const parsed = parseMediaType(mediaType);
  if (parsed === undefined || formatOf(parsed) !== "json" || types.has("object") || types.has("array")) return false;
  return schemas.some((schema) => jsonContentOf(schema)?.encoding === "none");
}
