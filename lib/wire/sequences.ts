/**
 * Encodes and decodes bodies that are a sequence of items: JSON lines, JSON text sequences, server-sent events.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7464 RFC 7464, JSON Text Sequences}
 * @see {@link https://github.com/ndjson/ndjson-spec NDJSON}
 * @see
 * {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream HTML, section 9.2.5}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#special-considerations-for-server-sent-events OpenAPI 3.2}
 */
import type { MediaType } from "../http/media_type.ts";
import type { Hints } from "../schema/hints.ts";
import { takeValues, tooManyValues } from "../schema/json/json.ts";
import { child, isObject, type JsonObject, type Node } from "../schema/json/node.ts";
import type { DecodedBody, DecoderContext, Encoding } from "./body.ts";
import { decodeStrictly } from "../http/decode_strictly.ts";
import { formatOf, type WireFormat } from "./format.ts";
import { fromJson, toJson } from "./json.ts";

/** Formats whose bodies are always a sequence of items. */
const SEQUENCES: ReadonlySet<WireFormat> = new Set(["csv", "event-stream", "json-lines", "json-seq"]);

/**
 * Finds the schema of each item of a body that is a sequence: `itemSchema` since OpenAPI 3.2. Before 3.2, authors put
 * the schema of an item under `schema`. Such a schema is recognised by its type `object`, which a body in a sequence
 * format can't have.
 *
 * @param hints The hints of the body's `schema`.
 * @returns `undefined` where `schema` describes the whole body, or where there is no schema.
 */
export function itemSchemaOf(
  mediaType: MediaType,
  hints: Hints,
  mediaTypeObject: Node<"MediaType" | "Encoding"> | undefined,
): Node | undefined {
  const isSequence = SEQUENCES.has(formatOf(mediaType));
  // Returns early, without using the hints: they read the schema at their first use, which takes time.
  if (!isSequence && mediaTypeObject !== undefined && child(mediaTypeObject, "schema").value !== undefined) {
    return undefined;
  }
  const [schema] = hints.alternatives;
  if (schema === undefined) {
    const itemSchema = mediaTypeObject && child(mediaTypeObject, "itemSchema");
    return itemSchema?.value === undefined ? undefined : itemSchema;
  }
  return isSequence && hints.types.has("object") && !hints.types.has("array") ? schema.node : undefined;
}

/** Encodes each item of an array as a line of JSON text. A value that isn't an array is the only item. */
export function encodeJsonLines(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => `${toJson(item)}\n`) };
}

/**
 * Encodes each item of an array as JSON text between a record separator and a line feed (RFC 7464). A value that isn't
 * an array is the only item.
 */
export function encodeJsonTextSequence(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => `\x1e${toJson(item)}\n`) };
}

/** The items of a value that is encoded as a sequence. A value that isn't an array is the only item. */
export function itemsOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Decodes lines of JSON text as an array; empty lines are skipped. */
export function decodeJsonLines(bytes: Uint8Array, mediaType: MediaType, context: DecoderContext): DecodedBody {
  return decodeItems(bytes, mediaType, context, /\n/g, "line");
}

/** Decodes a JSON text sequence as an array. */
export function decodeJsonTextSequence(bytes: Uint8Array, mediaType: MediaType, context: DecoderContext): DecodedBody {
  // deno-lint-ignore no-control-regex
  return decodeItems(bytes, mediaType, context, /\x1e/g, "record");
}

function decodeItems(
  bytes: Uint8Array,
  mediaType: MediaType,
  { values: count }: DecoderContext,
  separator: RegExp,
  kind: string,
): DecodedBody {
  const text = decodeStrictly(bytes, { charset: mediaType.parameters.get("charset") });
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  if (!takeValues(count, 1)) return { kind: "too-large", message: tooManyValues(count) };
  const values: unknown[] = [];
  let index = -1;
  for (const item of pieces(text, separator)) {
    index++;
    if (item.trim() === "") continue;
    // Lines count from 1. A JSON text sequence begins with a separator, so its first record has the index 1 already.
    const where = ` in ${kind} ${kind === "line" ? index + 1 : index}`;
    const read = fromJson(item, { where, values: count });
    if (read.kind !== "value") return read;
    values.push(read.value);
  }
  return { kind: "value", value: values };
}

/** The fields of a server-sent event in the order of writing: `data` last, as most servers write it. */
const FIELDS = ["event", "id", "retry", "data"];

/**
 * Encodes each item of an array as a server-sent event; a value that isn't an array is the only event. An object whose
 * properties are all among `event`, `id`, `retry` and `data` gives the fields of the event. Any other item is the
 * event's `data`.
 */
export function encodeEventStream(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => encodeEvent(isEvent(item) ? item : { data: item })) };
}

function isEvent(item: unknown): item is JsonObject {
  return isObject(item) && Object.keys(item).length > 0 && Object.keys(item).every((key) => FIELDS.includes(key));
}

function encodeEvent(event: JsonObject): string {
  const lines = FIELDS.flatMap((field) => {
    const value = event[field];
    if (value === undefined || value === null) return [];
    const text = typeof value === "string" ? value : toJson(value);
    return text.split(/\r\n|\r|\n/).map((line) => `${field}: ${line}\n`);
  });
  return `${lines.join("")}\n`;
}

/**
 * Decodes an event stream as an array. An item is an object with the fields of the event. If the schema of an item has
 * neither the property `data` nor `event`, the item is the `data` of the event, parsed as JSON.
 */
export function decodeEventStream(
  bytes: Uint8Array,
  _mediaType: MediaType,
  { hints, values: count }: DecoderContext,
): DecodedBody {
  const text = decodeStrictly(bytes);
  if (text === undefined) return { kind: "malformed", message: "is not an event stream: it is not UTF-8" };
  const { types, propertyNames } = hints.item(0);
  const isEvent = types.size === 0 || propertyNames.has("data") || propertyNames.has("event");
  const values: unknown[] = [];
  let index = -1;
  for (const block of pieces(text.replace(/^\ufeff/, ""), /\r\n\r\n|\n\n|\r\r/g)) {
    const event = readEvent(block);
    if (!("data" in event)) continue;
    index++;
    if (!takeValues(count, 1 + Object.keys(event).length)) return { kind: "too-large", message: tooManyValues(count) };
    if (isEvent || types.has("string")) {
      values.push(isEvent ? event : event["data"]);
      continue;
    }
    const read = fromJson(String(event["data"]), { where: ` in the data of event ${index + 1}`, values: count });
    if (read.kind !== "value") return read;
    values.push(read.value);
  }
  return { kind: "value", value: values };
}

function readEvent(block: string): JsonObject {
  const event: JsonObject = {};
  for (const line of pieces(block, /\r\n|\r|\n/g)) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (!FIELDS.includes(field)) continue;
    if (field === "retry") {
      if (/^\d+$/.test(text)) event["retry"] = Number(text);
    } else {
      event[field] = field === "data" && "data" in event ? `${event["data"]}\n${text}` : text;
    }
  }
  return event;
}

/**
 * Splits a text at separators, one piece at a time. The method `split` would make a list of all pieces: for a body of
 * 10 million line feeds, several hundred megabytes.
 *
 * @param separator A pattern with the flag `g`.
 */
function* pieces(text: string, separator: RegExp): Generator<string> {
  let start = 0;
  for (const { 0: found, index } of text.matchAll(separator)) {
    yield text.slice(start, index);
    start = index + found.length;
  }
  yield text.slice(start);
}
