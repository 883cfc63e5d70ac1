/**
 * Decodes forms (`application/x-www-form-urlencoded`).
 *
 * @module
 * @see {@link https://url.spec.whatwg.org/#application/x-www-form-urlencoded URL Standard, section 5}
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#encoding-the-x-www-form-urlencoded-media-type OpenAPI 3.1}
 */
import { type MediaType, parseMediaType } from "../http/media_type.ts";
import { decodeQueryText, splitQuery } from "../http/url/url.ts";
import type { Hints } from "../schema/hints.ts";
import { takeValues, tooManyValues } from "../schema/json/json.ts";
import { isObject } from "../schema/json/node.ts";
import type { DecodedBody, DecoderContext } from "./body.ts";
import { decodeStrictly } from "../http/decode_strictly.ts";
import { contentTypeOf, encodingOfProperty, styleOf } from "./encoding_object.ts";
import { formatOf } from "./format.ts";
import { fromJson } from "./json.ts";
import { type NamedValue, readNamedValue } from "./named_value.ts";
import { MOST_FIELDS, nestedNames, openingsOf, TOO_MANY_FIELDS, type Written } from "./nested_name.ts";
import type { Form } from "./parameter_style.ts";
import type { ValueFormats } from "./value_format.ts";
import { countValues, findValue, type Text, TextFields, textObject, toValue, Typed } from "./text_value.ts";

/**
 * The text of a property of a form, not yet converted to the types of its schema. `fields` names the fields that the
 * property was read from. The remaining fields of the form become undeclared properties.
 */
type FoundProperty = { kind: "text"; text: Text; fields: readonly string[] } | {
  kind: "malformed" | "too-large";
  message: string;
};

/**
 * Decodes a form as an object with the types of its schema: the inverse of `encodeForm`. A property is read in the
 * client's format or in the style of its Encoding Object, as JSON text, or from fields with names such as
 * `name[property]` and `name[]`.
 */
export async function decodeForm(
  bytes: Uint8Array,
  _mediaType: MediaType,
  context: DecoderContext,
): Promise<DecodedBody> {
  const text = decodeStrictly(bytes);
  if (text === undefined) return { kind: "malformed", message: "is not a form: it is not UTF-8" };
  const { hints, validators, values } = context;
  // Imports the parser of regular expressions, without which the names of `patternProperties` can't be matched.
  await validators.load();
  const written = splitQuery(text, MOST_FIELDS);
  if (written.order.length > MOST_FIELDS) return { kind: "malformed", message: TOO_MANY_FIELDS };
  for (const [name, texts] of written) {
    const count = texts.reduce((sum, text) => sum + countValues(text, hints.property(name)), 0);
    if (!takeValues(values, count)) return { kind: "too-large", message: tooManyValues(values) };
  }
  const members: [string, Text][] = [];
  const read = new Set<string>();
  for (const name of hints.propertyNames) {
    const found = await findProperty(name, written, context);
    if (found !== undefined && found.kind !== "text") return found;
    if (found === undefined) continue;
    members.push([name, found.text]);
    for (const field of found.fields) read.add(field);
  }
  for (const [name, values] of written) {
    if (!read.has(name)) members.push([name, new TextFields(values.map(decodeQueryText))]);
  }
  const value = Object.fromEntries(members.map(([name, text]) => [name, toValue(text, hints.property(name))]));
  if (hints.alternatives.length === 0) return { kind: "value", value };
  return { kind: "value", value, otherwise: () => findValue(textObject(members), hints, validators) };
}

async function findProperty(
  name: string,
  written: Written,
  context: DecoderContext,
): Promise<FoundProperty | undefined> {
  const { document, mediaTypeObject, hints: { propertyNames }, hints: form, decodePart, validators } = context;
  const hints = form.property(name);
  const encoding = encodingOfProperty(document, mediaTypeObject, name);
  const style = styleOf(encoding);
  const contentType = contentTypeOf(encoding);
  const formats = style === undefined && contentType !== undefined ? {} : formatsFor(hints, context.formats);
  const isStyled = style !== undefined || !written.has(name);
  if (isStyled || hasFormat(formats, hints)) {
    const parameter = { name, ...style ?? DEEP_OBJECT, namesStyle: true };
    const field = { parameter, hints, formats, others: propertyNames, validators, decode: decodeQueryText };
    const found = readStyled(written, field);
    if (isStyled || found?.kind === "text") return found;
  }
  const texts = written.get(name)?.map(decodeQueryText) ?? [];
  if (contentType === undefined) return { kind: "text", text: new TextFields(texts), fields: [name] };

  const isList = hints.types.has("array");
  const whole = isList && texts.length === 1 ? arrayOf(texts[0] ?? "", contentType, hints) : undefined;
  if (whole !== undefined) return { kind: "text", text: new Typed(whole), fields: [name] };
  const values: Text[] = [];
  for (const text of texts) {
    const part = await decodePart(new TextEncoder().encode(text), contentType, {
      document,
      hints: isList ? hints.item(values.length) : hints,
      mediaTypeObject: encoding,
    });
    if (part.kind === "too-large") return part;
    if (part.kind === "malformed") return { kind: "malformed", message: `has a field "${name}" that ${part.message}` };
    values.push(part.kind === "value" ? new Typed(part.value) : text);
  }
  return { kind: "text", text: isList || values.length !== 1 ? values : values[0] ?? values, fields: [name] };
}

/**
 * The array that a field of JSON has as a whole: `[1,2]`. The content type of an array property applies to each item
 * (OpenAPI 3.1, section 4.8.15), but most clients write the array into one field.
 */
function arrayOf(text: string, contentType: string, hints: Hints): readonly unknown[] | undefined {
  const mediaType = parseMediaType(contentType);
  if (mediaType === undefined || formatOf(mediaType) !== "json" || hints.item(0).types.has("array")) return undefined;
  const read = fromJson(text);
  return read.kind === "value" && Array.isArray(read.value) ? read.value : undefined;
}

/** The style of a property without a style in the definition: fields such as `name[property]=value`. */
const DEEP_OBJECT = { style: "deepObject", explode: true } as const;

/**
 * The client's formats for a property. Without declared properties of an object, the format `flat` (`b=1&c=2`) is
 * dropped: any field of the form could be a property of the object.
 */
function formatsFor({ propertyNames }: Hints, formats: ValueFormats): ValueFormats {
  return propertyNames.size === 0 && formats.object === "flat" ? { array: formats.array } : formats;
}

/** Whether the client has a format for arrays or objects that the schema allows. */
function hasFormat({ array, object }: ValueFormats, { types }: Hints): boolean {
  return array !== undefined && types.has("array") || object !== undefined && types.has("object");
}

/** Reads a property in the client's format or in the style of its Encoding Object. */
function readStyled(written: Written, field: NamedValue): FoundProperty | undefined {
  const { parameter: { name }, hints, formats, others } = field;
  for (const form of formsOf(hints)) {
    const reading = readNamedValue(written, form, field);
    if (reading.kind === "absent") continue;
    if (reading.kind === "malformed") {
      return { kind: "malformed", message: `has a field "${name}" that ${reading.message}` };
    }
    const text = reading.kind === "text" ? reading.text : new Typed(reading.value);
    const nested = openingsOf(formats).flatMap((opening) => [...nestedNames(written, name, opening, others).keys()]);
    // In the format `flat`, the properties of an object are fields of the form: `R=100&G=200`.
    const flat = form === "object" && isObject(text) ? Object.keys(text) : [];
    return { kind: "text", text, fields: [name, ...nested, ...flat] };
  }
  return undefined;
}

/** The forms (scalar, array, object) of the values that a schema allows. */
function formsOf({ types }: Hints): Form[] {
  if (types.size === 0) return ["scalar", "object"];
  const compound = (["object", "array"] as const).filter((form) => types.has(form));
  return compound.length > 0 ? compound : ["scalar"];
}
