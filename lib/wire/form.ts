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
import type { Hints } from "../schema/hints.ts";
import type { DecodedBody, DecoderContext, EncoderContext, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";
import { contentTypeOf, encodingOfProperty, type EncodingStyle, styleOf } from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { toJson } from "./json.ts";
import { type NamedValue, readNamedValue, type Written } from "./named_value.ts";
import type { Form } from "./parameter_style.ts";
import { Fields, findValue, type Text, textObject, toValue, Typed } from "./text_value.ts";

/**
 * Writes an object as a form. A property whose Encoding Object names a style is written as a query parameter of that
 * style. Of any other property, each item of an array is a field, and an object is written in its `contentType`, else as
 * JSON text.
 * A property that is `null` is left out.
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

/** A value as the text of a field. */
async function fieldText(
  value: unknown,
  hints: Hints,
  encoding: Node<"Encoding"> | undefined,
  { document, form, encodePart }: EncoderContext,
): Promise<string> {
  const contentType = contentTypeOf(encoding);
  const mediaType = contentType && parseMediaType(contentType);
  // A form is text: binary values remain encoded, for example in base64.
  if (!contentType || !mediaType || formatOf(mediaType) === "binary") return scalarText(value);
  const { body } = await encodePart(value, contentType, { document, hints, mediaTypeObject: encoding }, form);
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : scalarText(value);
}

/**
 * Writes a value as fields of a style (OpenAPI 3.1, Style Examples). The texts between delimiters are percent-encoded,
 * the delimiters are not.
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

/**
 * Percent-encodes all but reserved characters (RFC 3986, section 2.2), and of the reserved ones the delimiters of a
 * form: `&`, `=`, `+`, `#`.
 */
function encodeReserved(text: string): string {
  const encoded = encodeURI(text.toWellFormed()).replace(/[&=+#]/g, percentEncode);
  return encoded.replaceAll("%5B", "[").replaceAll("%5D", "]");
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * The value of one property of a form, before it has the types of its schema. `fields` are the names of the form's
 * fields that it was read from; other fields are read as undeclared properties.
 */
type FoundProperty = { kind: "text"; text: Text; fields: readonly string[] } | { kind: "malformed"; message: string };

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
  const { hints, validators } = context;
  // Names are matched with `patternProperties`.
  await validators.load();
  const written = splitQuery(text);
  const members: [string, Text][] = [];
  const read = new Set<string>();
  for (const name of hints.propertyNames) {
    const found = await findProperty(name, written, context);
    if (found?.kind === "malformed") return found;
    if (found === undefined) continue;
    members.push([name, found.text]);
    for (const field of found.fields) read.add(field);
  }
  for (const [name, values] of written) {
    if (!read.has(name)) members.push([name, new Fields(values.map(decodeQueryText))]);
  }
  const value = Object.fromEntries(members.map(([name, text]) => [name, toValue(text, hints.property(name))]));
  if (hints.alternatives.length === 0) return { kind: "value", value };
  return { kind: "value", value, otherwise: () => findValue(textObject(members), hints, validators) };
}

async function findProperty(
  name: string,
  written: Written,
  { document, mediaTypeObject, hints: { propertyNames }, hints: form, decodePart, validators }: DecoderContext,
): Promise<FoundProperty | undefined> {
  const hints = form.property(name);
  const encoding = encodingOfProperty(document, mediaTypeObject, name);
  const style = styleOf(encoding) ?? DEEP_OBJECT;
  if (style !== DEEP_OBJECT || !written.has(name)) {
    const others = new Set([...propertyNames].filter((other) => other !== name));
    // Fields have the styles of query parameters.
    const parameter = { name, in: "query", style: style.style, explode: style.explode } as const;
    return readStyled(written, { parameter, hints, formats: {}, others, validators, decode: decodeQueryText });
  }
  const texts = written.get(name)?.map(decodeQueryText) ?? [];
  const contentType = contentTypeOf(encoding);
  if (contentType === undefined) return { kind: "text", text: new Fields(texts), fields: [name] };

  const isList = hints.types.has("array");
  const values: Text[] = [];
  for (const text of texts) {
    const part = await decodePart(new TextEncoder().encode(text), contentType, {
      document,
      hints: isList ? hints.item(values.length) : hints,
      mediaTypeObject: encoding,
    });
    if (part.kind === "malformed") return { kind: "malformed", message: `has a field "${name}" that ${part.message}` };
    values.push(part.kind === "value" ? new Typed(part.value) : text);
  }
  return { kind: "text", text: isList || values.length !== 1 ? values : values[0] ?? values, fields: [name] };
}

/** The style to try for objects where the definition names no style and the client doesn't write JSON. */
const DEEP_OBJECT: EncodingStyle = { style: "deepObject", explode: true, allowReserved: false };

/** Reads a property that is written as a query parameter. */
function readStyled(written: Written, field: NamedValue): FoundProperty | undefined {
  const { parameter: { name }, hints } = field;
  for (const form of formsOf(hints)) {
    const reading = readNamedValue(written, form, field);
    if (reading.kind === "absent") continue;
    if (reading.kind === "malformed") {
      return { kind: "malformed", message: `has a field "${name}" that ${reading.message}` };
    }
    const text = reading.kind === "text" ? reading.text : new Typed(reading.value);
    const fields = [...written.keys()].filter((key) =>
      key === name || key.startsWith(`${name}[`) || form === "object" && isObject(text) && Object.hasOwn(text, key)
    );
    return { kind: "text", text, fields };
  }
  return undefined;
}

/** The forms to try for a value, by the types of its schema. */
function formsOf({ types }: Hints): Form[] {
  if (types.size === 0) return ["scalar", "object"];
  if (types.has("object")) return ["object"];
  return types.has("array") ? ["array"] : ["scalar"];
}
