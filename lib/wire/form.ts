/**
 * Forms.
 *
 * @module
 * @see {@link https://url.spec.whatwg.org/#application/x-www-form-urlencoded URL Standard, section 5}
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#encoding-the-x-www-form-urlencoded-media-type OpenAPI 3.1}
 */
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { decodeQueryText, splitQuery } from "../http/url.ts";
import { isObject, type Node } from "../schema/node.ts";
import { type NamedValue, readNamedValue } from "./named_value.ts";
import type { Written } from "./parts.ts";
import { type SchemaTypes, schemaTypes } from "./schema_types.ts";
import type { Form } from "./style.ts";
import { toValue } from "./scalar.ts";
import type { DecodedBody, DecoderContext, EncoderContext, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";
import { contentTypeOf, encodingOfProperty, type EncodingStyle, styleOf } from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { fromJson, toJson } from "./json.ts";

/**
 * Writes an object as a form. A property whose Encoding Object names a style is written as a query parameter of that
 * style; of any other, each item of an array is a field, and an object is JSON text or whatever its `contentType` says.
 * A property that is `null` is left out.
 */
export async function encodeForm(value: unknown, _mediaType: MediaType, context: EncoderContext): Promise<Encoding> {
  if (!isObject(value)) return { body: typeof value === "string" ? value : toJson(value) };
  const types = schemaTypes(context.document, context.schema);
  const fields: string[] = [];
  for (const [name, part] of Object.entries(value)) {
    if (part === null || part === undefined) continue;
    const encoding = encodingOfProperty(context.document, context.mediaTypeObject, name);
    const style = styleOf(encoding);
    if (style !== undefined) {
      fields.push(...styledFields(name, part, style));
      continue;
    }
    const [partTypes, items] = Array.isArray(part)
      ? [types.property(name).item(0), part]
      : [types.property(name), [part]];
    for (const item of items) {
      fields.push(`${encodeField(name)}=${encodeField(await fieldText(item, partTypes, encoding, context))}`);
    }
  }
  return { body: fields.join("&") };
}

/** A value as the text of a field. */
async function fieldText(
  value: unknown,
  { schemas: [schema] }: SchemaTypes,
  encoding: Node | undefined,
  { document, form, encodePart }: EncoderContext,
): Promise<string> {
  const contentType = contentTypeOf(encoding);
  const mediaType = contentType && parseMediaType(contentType);
  // A form is text: bytes stay encoded, as a string has them.
  if (!contentType || !mediaType || formatOf(mediaType) === "binary") return scalarText(value);
  const { body } = await encodePart(value, contentType, { document, schema, mediaTypeObject: encoding }, form);
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : scalarText(value);
}

/** A value as fields of a style (OpenAPI 3.1, Style Examples); delimiters stand for themselves, unlike what they delimit. */
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
  const delimiter = { form: ",", spaceDelimited: "%20", pipeDelimited: "%7C" }[style];
  const pieces: unknown[] = Array.isArray(value) ? value : members.flat();
  return [`${encodeField(name)}=${pieces.map((piece) => encode(scalarText(piece))).join(delimiter)}`];
}

/** `name[a][b]`, however deep, with indices for the items of arrays. */
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

/** Encodes as browsers do. */
function encodeField(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+").replace(/[!'()~]/g, percentEncode);
}

/** Encodes what isn't reserved (RFC 3986, section 2.2), and of the reserved what a form is delimited by. */
function encodeReserved(text: string): string {
  const encoded = encodeURI(text.toWellFormed()).replace(/[&=+#]/g, percentEncode);
  return encoded.replaceAll("%5B", "[").replaceAll("%5D", "]");
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A property that was found in a form, and the fields that it was written in. */
type FoundProperty = { kind: "value"; value: unknown; fields: readonly string[] } | {
  kind: "malformed";
  message: string;
};

/**
 * Reads a form as an object of the types that its schema wants: the inverse of {@linkcode encodeForm}. An object may
 * also be written as `name[property]=value`.
 */
export async function decodeForm(
  bytes: Uint8Array,
  _mediaType: MediaType,
  context: DecoderContext,
): Promise<DecodedBody> {
  const text = decodeText(bytes, "utf-8");
  if (text === undefined) return { kind: "malformed", message: "is not a form: it is not UTF-8" };
  const { types } = context;
  const written = splitQuery(text);
  const members: [string, unknown][] = [];
  const read = new Set<string>();
  for (const name of types.propertyNames) {
    const found = await findProperty(name, written, context);
    if (found?.kind === "malformed") return found;
    if (found === undefined) continue;
    members.push([name, found.value]);
    for (const field of found.fields) read.add(field);
  }
  for (const [name, values] of written) {
    if (!read.has(name)) members.push([name, fieldValue(values.map(decodeQueryText), types.property(name))]);
  }
  return { kind: "value", value: Object.fromEntries(members) };
}

async function findProperty(
  name: string,
  written: Written,
  { document, mediaTypeObject, types: { property, propertyNames }, decodePart }: DecoderContext,
): Promise<FoundProperty | undefined> {
  const types = property(name);
  const encoding = encodingOfProperty(document, mediaTypeObject, name);
  const style = styleOf(encoding) ?? DEEP_OBJECT;
  if (style !== DEEP_OBJECT || !written.has(name)) {
    const others = new Set([...propertyNames].filter((other) => other !== name));
    // Fields have the styles of query parameters.
    const parameter = { name, in: "query", style: style.style, explode: style.explode } as const;
    return readStyled(written, { parameter, types, formats: {}, others, decode: decodeQueryText });
  }
  const texts = written.get(name)?.map(decodeQueryText) ?? [];
  const contentType = contentTypeOf(encoding);
  if (contentType === undefined) return { kind: "value", value: fieldValue(texts, types), fields: [name] };

  const isList = types.allowed.has("array");
  const values: unknown[] = [];
  for (const text of texts) {
    const [schema] = (isList ? types.item(values.length) : types).schemas;
    const part = await decodePart(new TextEncoder().encode(text), contentType, {
      document,
      schema,
      mediaTypeObject: encoding,
    });
    if (part.kind === "malformed") return { kind: "malformed", message: `has a field "${name}" that ${part.message}` };
    values.push(part.kind === "value" ? part.value : text);
  }
  return { kind: "value", value: isList || values.length > 1 ? values : values[0], fields: [name] };
}

/** How an object is written by clients that don't write JSON, though no style says so. */
const DEEP_OBJECT: EncodingStyle = { style: "deepObject", explode: true, allowReserved: false };

/** Reads a property that is written as a query parameter. */
function readStyled(written: Written, field: NamedValue): FoundProperty | undefined {
  const { parameter: { name }, types } = field;
  for (const form of formsOf(types)) {
    const reading = readNamedValue(written, form, field);
    if (reading.kind === "absent") continue;
    if (reading.kind === "malformed") {
      return { kind: "malformed", message: `has a field "${name}" that ${reading.message}` };
    }
    const value = reading.kind === "text" ? toValue(reading.text, types) : reading.value;
    const fields = [...written.keys()].filter((key) =>
      key === name || key.startsWith(`${name}[`) || form === "object" && isObject(value) && Object.hasOwn(value, key)
    );
    return { kind: "value", value, fields };
  }
  return undefined;
}

/** The forms that a value may have; any, where the schema doesn't say. */
function formsOf({ allowed }: SchemaTypes): Form[] {
  if (allowed.size === 0) return ["scalar", "object"];
  if (allowed.has("object")) return ["object"];
  return allowed.has("array") ? ["array"] : ["scalar"];
}

/** The value of fields with the same name: an object is JSON text, an array is one field for each item. */
function fieldValue(texts: readonly string[], types: SchemaTypes): unknown {
  if (types.allowed.has("array")) return texts.map((text, index) => fieldValue([text], types.item(index)));
  const [text = ""] = texts;
  if (texts.length > 1) return texts;
  if (!types.allowed.has("object")) return toValue(text, types);
  const read = fromJson(text);
  return read.kind === "value" ? read.value : text;
}
