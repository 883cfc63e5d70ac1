/**
 * Bodies that are a sequence of items: lines of JSON, JSON text sequences, server-sent events.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc7464 RFC 7464, JSON Text Sequences}
 * @see {@link https://github.com/ndjson/ndjson-spec NDJSON}
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream HTML, section 9.2.5}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#special-considerations-for-server-sent-events OpenAPI 3.2}
 */
import type { MediaType } from "../http/media_type.ts";
import type { Hints } from "../schema/hints.ts";
import { child, isObject, type JsonObject, type Node } from "../schema/node.ts";
import type { DecodedBody, DecoderContext, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";
import { type Format, formatOf } from "./format.ts";
import { fromJson, toJson } from "./json.ts";

/** Formats whose bodies are a sequence of items and nothing else. */
const SEQUENCES: ReadonlySet<Format> = new Set(["csv", "event-stream", "json-lines", "json-seq"]);

/**
 * Finds the schema of each item of a body that is a sequence. This is `itemSchema` (since OpenAPI 3.2). Before 3.2,
 * authors described the item by `schema`: it counts if its type is `object` and the media type is a sequence.
 *
 * @param hints The hints of the body's `schema`.
 * @returns `undefined` where `schema` is about the whole body, or there is none.
 */
export function itemSchemaOf(
  mediaType: MediaType,
  hints: Hints,
  mediaTypeObject: Node<"MediaType" | "Encoding"> | undefined,
): Node | undefined {
  const isSequence = SEQUENCES.has(formatOf(mediaType));
  // A body that is no sequence, and has a `schema`, needs no hints, which read the schema at their first use.
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

/** Writes each item of an array on a line of its own; any other value is the only item. */
export function encodeJsonLines(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => `${toJson(item)}\n`) };
}

/** Writes each item of an array between a record separator and a line feed; any other value is the only item. */
export function encodeJsonTextSequence(value: unknown): Encoding {
  return { body: itemsOf(value).map((item) => `\x1e${toJson(item)}\n`) };
}

/** The items of a value that is written as a sequence. */
export function itemsOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Reads lines of JSON text as an array; empty lines are skipped. */
export function decodeJsonLines(bytes: Uint8Array, mediaType: MediaType): DecodedBody {
  return decodeItems(bytes, mediaType, /\n/g, "line");
}

/** Reads a JSON text sequence as an array. */
export function decodeJsonTextSequence(bytes: Uint8Array, mediaType: MediaType): DecodedBody {
  // deno-lint-ignore no-control-regex
  return decodeItems(bytes, mediaType, /\x1e/g, "record");
}

function decodeItems(bytes: Uint8Array, mediaType: MediaType, separator: RegExp, kind: string): DecodedBody {
  const text = decodeText(bytes, mediaType.parameters.get("charset"));
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  const values: unknown[] = [];
  let index = -1;
  for (const item of pieces(text, separator)) {
    index++;
    if (item.trim() === "") continue;
    // A JSON text sequence starts with a separator. So the first piece is empty, and the first record is the second
    // piece.
    const read = fromJson(item, ` in ${kind} ${kind === "line" ? index + 1 : index}`);
    if (read.kind !== "value") return read;
    values.push(read.value);
  }
  return { kind: "value", value: values };
}

/** The fields of an event; `data` last, as servers write it. */
const FIELDS = ["event", "id", "retry", "data"];

/**
 * Writes each item of an array as an event; any other value is the only event. An object with no other properties than
 * `event`, `id`, `retry` and `data` has the fields of the event; anything else is the event's `data`.
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
 * Reads an event stream as an array of events. Where the schema of an item has neither `data` nor `event`, the item is
 * the event's data, parsed as JSON.
 */
export function decodeEventStream(bytes: Uint8Array, _mediaType: MediaType, { hints }: DecoderContext): DecodedBody {
  const text = decodeText(bytes, "utf-8");
  if (text === undefined) return { kind: "malformed", message: "is not an event stream: it is not UTF-8" };
  const { types, propertyNames } = hints.item(0);
  const isEvent = types.size === 0 || propertyNames.has("data") || propertyNames.has("event");
  const values: unknown[] = [];
  let index = -1;
  for (const block of pieces(text.replace(/^\ufeff/, ""), /\r\n\r\n|\n\n|\r\r/g)) {
    const event = readEvent(block);
    if (!("data" in event)) continue;
    index++;
    if (isEvent || types.has("string")) {
      values.push(isEvent ? event : event["data"]);
      continue;
    }
    const read = fromJson(String(event["data"]), ` in the data of event ${index + 1}`);
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
 * The pieces of a text between separators, one at a time: the list of 10 million empty pieces that `split` makes of a
 * body of line feeds would hold several hundred megabytes.
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
