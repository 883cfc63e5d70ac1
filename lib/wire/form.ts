/**
 * Encodes forms (`application/x-www-form-urlencoded`).
 *
 * @module
 * @see {@link https://url.spec.whatwg.org/#application/x-www-form-urlencoded URL Standard, section 5}
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#encoding-the-x-www-form-urlencoded-media-type OpenAPI 3.1}
 */
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { isObject, type Node } from "../schema/json/node.ts";
import type { Hints } from "../schema/hints.ts";
import type { EncoderContext, Encoding } from "./body.ts";
import { contentTypeOf, encodingOfProperty, type EncodingStyle, styleOf } from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { toJson } from "./json.ts";

/**
 * Encodes an object as a form. A property whose Encoding Object has a style is written as a query parameter of that
 * style. Any other property makes one field, or a field for each item of an array; the field is written in the
 * `contentType` of the Encoding Object, or, if it is an object, as JSON text. A property that is `null` is left out.
 */
export async function encodeForm(value: unknown, _mediaType: MediaType, context: EncoderContext): Promise<Encoding> {
  if (!isObject(value)) return { body: typeof value === "string" ? value : toJson(value) };
  const fields: string[] = [];
  for (const [name, part] of Object.entries(value)) {
    if (part === null || part === undefined) continue;
    const encoding = encodingOfProperty(context.document, context.mediaTypeObject, name);
    const style = styleOf(encoding);
    if (style !== undefined) {
      fields.push(...styledFields(name, part, style));
      continue;
    }
    const property = context.hints.property(name);
    const [hints, items] = Array.isArray(part) ? [property.item(0), part] : [property, [part]];
    for (const item of items) {
      fields.push(`${encodeField(name)}=${encodeField(await fieldText(item, hints, encoding, context))}`);
    }
  }
  return { body: fields.join("&") };
}

async function fieldText(
  value: unknown,
  hints: Hints,
  encoding: Node<"Encoding"> | undefined,
  { document, form, encodePart }: EncoderContext,
): Promise<string> {
  const contentType = contentTypeOf(encoding);
  const mediaType = contentType && parseMediaType(contentType);
  // A form can't hold bytes, so a string that stands for bytes remains as it is, for example base64.
  if (!contentType || !mediaType || formatOf(mediaType) === "binary") return scalarText(value);
  const { body } = await encodePart(value, contentType, { document, hints, mediaTypeObject: encoding }, form);
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : scalarText(value);
}

/**
 * Writes a property as fields `name=value` of a style (OpenAPI 3.1, Style Examples). Names and values are
 * percent-encoded before the delimiters of the style (`,`, `%20` or `%7C`) are put between them.
 */
export function styledFields(name: string, value: unknown, { style, explode, allowReserved }: EncodingStyle): string[] {
  const encode = allowReserved ? encodeReserved : encodeField;
  const field = (key: string, text: unknown): string => `${encodeField(key)}=${encode(scalarText(text))}`;
  if (typeof value !== "object" || value === null) return [field(name, value)];
  if (style === "deepObject") return deepFields(name, value).map(([key, text]) => field(key, text));
  const members = Array.isArray(value) ? [] : Object.entries(value);
  if (explode) {
    return Array.isArray(value)
      ? value.map((item) => field(name, item))
      : members.map(([key, member]) => field(key, member));
  }
  const delimiter = { form: ",", spaceDelimited: "%20", pipeDelimited: "%7C", tabDelimited: "%09" }[style];
  const pieces: unknown[] = Array.isArray(value) ? value : members.flat();
  return [`${encodeField(name)}=${pieces.map((piece) => encode(scalarText(piece))).join(delimiter)}`];
}

/** The fields of the style `deepObject`: `name[a][b]`, for objects of any depth. Arrays use indexes: `name[0]`. */
function deepFields(name: string, value: object): [string, unknown][] {
  return Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const nested = `${name}[${key}]`;
    return typeof member === "object" && member !== null ? deepFields(nested, member) : [[nested, member]];
  });
}

function scalarText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : toJson(value);
}

/** Percent-encodes the name or value of a form's field (URL Standard, section 5), with `+` for a space. */
function encodeField(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+").replace(/[!'()~]/g, percentEncode);
}

/**
 * Percent-encodes a text with `allowReserved`: reserved characters (RFC 3986, section 2.2) are kept, except for `&`,
 * `=`, `+` and `#`, which would end the value or change its meaning.
 */
function encodeReserved(text: string): string {
  const encoded = encodeURI(text.toWellFormed()).replace(/[&=+#]/g, percentEncode);
  return encoded.replaceAll("%5B", "[").replaceAll("%5D", "]");
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
