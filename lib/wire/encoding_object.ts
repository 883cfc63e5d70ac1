/**
 * Reads Encoding Objects, which give the properties of a form (`application/x-www-form-urlencoded` or multipart) a
 * style or a content type.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#encoding-object OpenAPI 3.1, Encoding Object}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#encoding-object OpenAPI 3.2, Encoding Object}
 */
import { isTabDelimited } from "../openapi/definition_keys.ts";
import { concreteMediaType, parseAccept, parseMediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import { jsonContentOf } from "../schema/json/json_content.ts";
import { child, isObject, type Node, stringOf } from "../schema/json/node.ts";
import { follow } from "../schema/json/reference.ts";
import type { Hints } from "../schema/hints.ts";
import { contentEncodingOf } from "./binary.ts";
import { formatOf } from "./format.ts";

/** The style of a form's property, as of a query parameter. */
export interface EncodingStyle {
  style: "form" | "spaceDelimited" | "pipeDelimited" | "tabDelimited" | "deepObject";
  explode: boolean;
  allowReserved: boolean;
}

/** Finds the Encoding Object of a property under `encoding`; `undefined` if it has none. */
export function encodingOfProperty(
  document: Document,
  mediaTypeObject: Node<"MediaType" | "Encoding"> | undefined,
  name: string,
): Node<"Encoding"> | undefined {
  return mediaTypeObject && present(document, child(child(mediaTypeObject, "encoding"), name));
}

/**
 * Finds the Encoding Object of an item by its index, under `prefixEncoding` or `itemEncoding`; `undefined` if it has
 * none.
 */
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
 * The style that an Encoding Object gives; `undefined` if it has none of `style`, `explode` and `allowReserved`. Only
 * then its `contentType` applies.
 */
export function styleOf(encoding: Node<"Encoding"> | undefined): EncodingStyle | undefined {
  if (encoding === undefined) return undefined;
  if (isTabDelimited(encoding)) return { style: "tabDelimited", explode: false, allowReserved: false };
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
 * media types. `undefined` without `contentType`.
 */
export function contentTypeOf(encoding: Node<"Encoding"> | undefined): string | undefined {
  const written = encoding && stringOf(child(encoding, "contentType"));
  const [first] = parseAccept(written ?? "");
  if (written === undefined || first === undefined) return undefined;
  return concreteMediaType(first, "application/octet-stream") ?? written.split(",")[0]?.trim();
}

/** The default content type of a multipart body's part, where its Encoding Object has no `contentType`. */
export function defaultContentType(document: Document, { schemas, types }: Hints, value: unknown): string {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) return "application/json";
  const [mediaType] = schemas.flatMap(({ contentMediaType }) => contentMediaType ?? []);
  if (mediaType !== undefined) return mediaType;
  const isEncoded = document.version !== "3.0" && contentEncodingOf(schemas) !== undefined;
  const isBinary = schemas.some(({ format }) => format === "binary");
  // Since OpenAPI 3.1, a string whose schema has no type is `application/octet-stream` by default.
  const isUntyped = document.version !== "3.0" && schemas.length > 0 && types.size === 0;
  const isText = typeof value === "string" || value instanceof Uint8Array;
  return isText && (isEncoded || isBinary || isUntyped) || value instanceof Uint8Array
    ? "application/octet-stream"
    : "text/plain";
}

/**
 * Whether a string is the JSON text of a whole part, as `contentMediaType: application/json` of its schema says.
 * Otherwise the part of a string would be a JSON string, with quotes.
 */
export function isJsonText(mediaType: string, { schemas, types }: Hints): boolean {
  const parsed = parseMediaType(mediaType);
  if (parsed === undefined || formatOf(parsed) !== "json" || types.has("object") || types.has("array")) return false;
  return schemas.some((schema) => jsonContentOf(schema)?.encoding === "none");
}
