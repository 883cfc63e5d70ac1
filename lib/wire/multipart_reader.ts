/**
 * Decodes multipart bodies.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7578 RFC 7578, multipart/form-data}
 * @see {@link https://www.rfc-editor.org/rfc/rfc2046#section-5.1 RFC 2046, section 5.1, Multipart Media Type}
 */
import { latin1Bytes, latin1Text } from "../http/latin1.ts";
import { essence, type MediaType, parseAccept, parseMediaType, parseParameters } from "../http/media_type.ts";
import type { Hints } from "../schema/hints.ts";
import { takeValues, tooManyValues } from "../schema/json/json.ts";
import { child, type Node, stringOf } from "../schema/json/node.ts";
import type { DecodedBody, DecoderContext } from "./body.ts";
import { contentTypeOf, encodingOfItem, encodingOfProperty, isJsonText, styleOf } from "./encoding_object.ts";
import { fromJson } from "./json.ts";
import { MOST_FIELDS, nestedNames, openingsOf, TOO_MANY_FIELDS } from "./nested_name.ts";
import { NestedValue } from "./nested_value.ts";
import { countValues, toScalar, toValue, Typed } from "./text_value.ts";
import { formatOfStyle, isDelimited } from "./value_format.ts";

type PartReading = Exclude<DecodedBody, { kind: "unknown" }>;

/** A part after the body was split, with the headers that matter for decoding it. */
interface PartRead {
  bytes: Uint8Array;
  /** The index of the part in the body. */
  index: number;
  /** The `name` of the part's Content-Disposition header; empty if it has none. */
  name: string;
  /** Whether the part's Content-Disposition header has a `filename`. */
  isFile: boolean;
  contentType: string | undefined;
}

/**
 * Decodes a multipart body: the inverse of `encodeMultipart`. A form becomes an object of its named parts, unless the
 * schema has the type `array`; several parts with one name become an array. Another multipart body becomes an object if
 * the schema has the type `object`, else an array of its parts.
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
  const { values } = context;
  if (!takeValues(values, parts.length)) return { kind: "too-large", message: tooManyValues(values) };
  const { types } = context.hints;
  const isNamed = mediaType.subtype === "form-data" ? !types.has("array") : types.has("object");
  return isNamed ? await readFields(parts, context) : await readItems(parts, context);
}

/**
 * Splits a body into its parts. For a malformed body, returns a message that completes a sentence: `has no parts: …`.
 */
function splitParts(bytes: Uint8Array, boundary: string): PartRead[] | string {
  // Stops at the limit of parts. Otherwise a body of boundaries only would fill the memory, since a part takes far more
  // memory than its boundary.
  const delimiters = findDelimiters(bytes, boundary, MOST_FIELDS + 1);
  const last = delimiters.findIndex(({ isLast }) => isLast);
  if (delimiters.length === 0) return `has no parts: nowhere does it say --${boundary}`;
  if (last < 0 && delimiters.length > MOST_FIELDS) return TOO_MANY_FIELDS;
  if (last < 0) return `breaks off: it doesn't end with --${boundary}--`;
  const parts: PartRead[] = [];
  for (const [index, { end: start }] of delimiters.slice(0, last).entries()) {
    const end = delimiters[index + 1]?.start ?? bytes.length;
    const content = indexOfBytes(bytes, EMPTY_LINE, start, end) + EMPTY_LINE.length;
    if (content < EMPTY_LINE.length) return `has a part ${index + 1} without an empty line after its headers`;
    parts.push({ ...readHeaders(bytes.subarray(start, content)), bytes: bytes.subarray(content, end), index });
  }
  return parts;
}

/** A line `--boundary`, or `--boundary--` (the last one), with the line break before it. */
interface Delimiter {
  readonly start: number;
  /** The offset of the line break that ends the line. */
  readonly end: number;
  readonly isLast: boolean;
}

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const EMPTY_LINE = new TextEncoder().encode("\r\n\r\n");

/** Finds the first delimiters of a body, at most `most`. */
function findDelimiters(bytes: Uint8Array, boundary: string, most: number): Delimiter[] {
  const opening = latin1Bytes(`\r\n--${boundary}`);
  const found: Delimiter[] = [];
  // The first delimiter may begin the body, without a line break.
  let start = beginsWith(bytes, opening.subarray(2), 0) ? -2 : indexOfBytes(bytes, opening, 0, bytes.length);
  while (start !== -1 && found.length < most) {
    const after = start + opening.length;
    const isLast = bytes[after] === DASH && bytes[after + 1] === DASH;
    let end = isLast ? after + 2 : after;
    while (bytes[end] === 0x20 || bytes[end] === 0x09) end++;
    const isDelimiter = end === bytes.length || bytes[end] === CR && bytes[end + 1] === LF;
    if (isDelimiter) found.push({ start: Math.max(0, start), end, isLast });
    start = indexOfBytes(bytes, opening, isDelimiter ? end : after, bytes.length);
  }
  return found;
}

/** The offset of a sequence that begins and ends between two offsets; -1 if there is none. */
function indexOfBytes(bytes: Uint8Array, sequence: Uint8Array, from: number, to: number): number {
  const [first = 0] = sequence;
  const last = to - sequence.length;
  let at = bytes.indexOf(first, from);
  while (at !== -1 && at <= last && !beginsWith(bytes, sequence, at)) at = bytes.indexOf(first, at + 1);
  return at <= last ? at : -1;
}

function beginsWith(bytes: Uint8Array, sequence: Uint8Array, at: number): boolean {
  for (let index = 0; index < sequence.length; index++) if (bytes[at + index] !== sequence[index]) return false;
  return true;
}

function readHeaders(header: Uint8Array): Omit<PartRead, "bytes" | "index"> {
  const headers = new Map<string, string>();
  for (const line of new TextDecoder().decode(header).replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = parseParameters(headers.get("content-disposition") ?? "");
  return {
    name: unquoted(disposition.get("name") ?? ""),
    isFile: disposition.has("filename") || disposition.has("filename*"),
    contentType: headers.get("content-type"),
  };
}

/** Undoes the escapes that browsers use in the name of a part (HTML, section 4.10.21.8, Multipart form data). */
function unquoted(name: string): string {
  return name.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%22", '"');
}

/**
 * Decodes the parts of a form. A declared property may consist of several parts with nested names: `files[]`,
 * `address[city]`, or `address.city` if the client uses the format `dots`.
 */
async function readFields(parts: readonly PartRead[], context: DecoderContext): Promise<DecodedBody> {
  const { hints } = context;
  const byName = Map.groupBy(parts, (part) => part.name);
  const members: [string, unknown][] = [];
  const read = new Set<string>();
  for (const name of hints.propertyNames) {
    if (byName.has(name)) continue;
    const nested = nestedParts(byName, name, context);
    if (nested.isEmpty) continue;
    const found = await readNested(name, nested, context);
    if (found.kind !== "value") return found;
    members.push([name, found.value]);
    for (const [part] of nested.leaves(hints.property(name))) read.add(part.name);
  }
  for (const [name, same] of byName) {
    if (read.has(name)) continue;
    const found = await readField(name, same, context);
    if (found.kind !== "value") return found;
    members.push([name, found.value]);
  }
  return { kind: "value", value: Object.fromEntries(members) };
}

/** Decodes the parts with one name: the items of an array, or a single value. */
async function readField(name: string, same: readonly PartRead[], context: DecoderContext): Promise<PartReading> {
  const property = context.hints.property(name);
  const isList = same.length > 1 || property.types.has("array");
  let values: unknown[] = [];
  for (const part of same) {
    const items = isList ? delimitedItems(name, part, context) : undefined;
    if (items?.kind === "too-large") return items;
    if (items !== undefined) {
      values = values.concat(items.value);
      continue;
    }
    const read = await readNamedPart(name, part, isList ? property.item(values.length) : property, context);
    if (read.kind !== "value") return read;
    values.push(read.value);
  }
  // A client may also send the whole array as one part of JSON text.
  const [only] = values;
  return { kind: "value", value: isList && !(values.length === 1 && Array.isArray(only)) ? values : only };
}

/**
 * Splits a part that holds all items of an array, such as `1,2`; `undefined` if the array has no delimited style or
 * format.
 */
function delimitedItems(
  name: string,
  part: PartRead,
  context: DecoderContext,
): Exclude<PartReading, { kind: "malformed" }> | undefined {
  const { document, formats, hints, mediaTypeObject, values } = context;
  const property = hints.property(name);
  if (part.isFile || part.contentType !== undefined || !property.types.has("array")) return undefined;
  const style = styleOf(encodingOfProperty(document, mediaTypeObject, name));
  const styled = style && formatOfStyle("array", style);
  const format = isDelimited(styled) ? styled : formats.array;
  if (!isDelimited(format)) return undefined;
  const text = new TextDecoder().decode(part.bytes);
  if (!takeValues(values, countValues(text, property))) return { kind: "too-large", message: tooManyValues(values) };
  const items = text.split(PLAIN_DELIMITERS[format]);
  return { kind: "value", value: items.map((item, index) => toScalar(item, property.item(index))) };
}

/** The delimiters of array formats in a part, whose text isn't percent-encoded. */
const PLAIN_DELIMITERS = { comma: ",", space: " ", pipe: "|", tab: "\t" } as const;

/**
 * Collects the parts whose nested names begin with a property's name, such as `address[city]`, in the order of the
 * body.
 */
function nestedParts(
  byName: ReadonlyMap<string, readonly PartRead[]>,
  name: string,
  { formats, hints: { propertyNames } }: DecoderContext,
): NestedValue<PartRead> {
  const found = openingsOf(formats).flatMap((opening) => [...nestedNames(byName, name, opening, propertyNames)])
    .flatMap(([partName, tokens]) => (byName.get(partName) ?? []).map((part) => ({ part, tokens })));
  const value = new NestedValue<PartRead>();
  for (const { part, tokens } of found.sort((a, b) => a.part.index - b.part.index)) value.insert(tokens, part);
  return value;
}

async function readNested(name: string, nested: NestedValue<PartRead>, context: DecoderContext): Promise<PartReading> {
  const hints = context.hints.property(name);
  const values = new Map<PartRead, unknown>();
  for (const [part, partHints] of nested.leaves(hints)) {
    const read = await readNamedPart(name, part, partHints, context);
    if (read.kind !== "value") return read;
    values.set(part, read.value);
  }
  const text = nested.toText(hints, (parts, { types }) => {
    const typed = parts.map((part) => new Typed(values.get(part)));
    const [only = new Typed(undefined)] = typed;
    return typed.length > 1 || types.has("array") && !Array.isArray(only.value) ? typed : only;
  });
  return { kind: "value", value: toValue(text, hints) };
}

async function readNamedPart(
  name: string,
  part: PartRead,
  hints: Hints,
  context: DecoderContext,
): Promise<PartReading> {
  const encoding = encodingOfProperty(context.document, context.mediaTypeObject, name);
  const read = await readPart(part, hints, encoding, context);
  return read.kind === "malformed"
    ? { kind: "malformed", message: `has a part "${part.name}" that ${read.message}` }
    : read;
}

async function readItems(parts: readonly PartRead[], context: DecoderContext): Promise<DecodedBody> {
  const { document, mediaTypeObject, hints } = context;
  const values: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const encoding = encodingOfItem(document, mediaTypeObject, index);
    const read = await readPart(part, hints.item(index), encoding, context);
    if (read.kind === "too-large") return read;
    if (read.kind === "malformed") {
      return { kind: "malformed", message: `has a part ${index + 1} that ${read.message}` };
    }
    values.push(read.value);
  }
  return { kind: "value", value: values };
}

/**
 * Why a part isn't of a media type that its Encoding Object lists. Clients that don't know the type of a file send it as
 * `application/octet-stream`.
 */
function refusalOf({ contentType }: PartRead, encoding: Node<"Encoding"> | undefined): string | undefined {
  const listed = encoding && stringOf(child(encoding, "contentType"));
  const sent = parseMediaType(contentType ?? "");
  if (listed === undefined || sent === undefined || essence(sent) === "application/octet-stream") return undefined;
  const isListed = parseAccept(listed).some(({ type, subtype }) =>
    (type === "*" || type === sent.type) && (subtype === "*" || subtype === sent.subtype)
  );
  return isListed ? undefined : `is ${essence(sent)}, but the definition takes ${listed}`;
}

/**
 * Decodes a part by its Content-Type header, else by its Encoding Object, else as text. A file whose schema allows a
 * string becomes a string with one character for each byte.
 */
async function readPart(
  part: PartRead,
  hints: Hints,
  encoding: Node<"Encoding"> | undefined,
  { document, decodePart, values }: DecoderContext,
): Promise<PartReading> {
  const { types } = hints;
  const refusal = refusalOf(part, encoding);
  if (refusal !== undefined) return { kind: "malformed", message: refusal };
  const isString = types.size === 0 || types.has("string");
  if (part.isFile && isString) return { kind: "value", value: latin1Text(part.bytes) };
  const mediaType = part.contentType ?? contentTypeOf(encoding);
  if (mediaType !== undefined && isJsonText(mediaType, hints)) {
    return { kind: "value", value: new TextDecoder().decode(part.bytes) };
  }
  const isStructured = types.has("object") || types.has("array");
  if (mediaType === undefined && isStructured && !types.has("string")) {
    const read = fromJson(new TextDecoder().decode(part.bytes), { values });
    if (read.kind === "value" || read.kind === "too-large") return read;
  }
  const context = { document, hints, mediaTypeObject: encoding };
  const read = await decodePart(part.bytes, mediaType ?? "text/plain", context);
  return read.kind === "unknown" ? { kind: "value", value: latin1Text(part.bytes) } : read;
}
