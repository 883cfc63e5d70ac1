/**
 * Server-sent events.
 *
 * @module
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream HTML, section 9.2.5}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#special-considerations-for-server-sent-events OpenAPI 3.2}
 */
import type { MediaType } from "../http/media_type.ts";
import { isObject, type JsonObject } from "../schema/node.ts";
import type { DecodedBody, DecoderContext, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";
import { fromJson, toJson } from "./json.ts";
import { itemsOf } from "./json_sequence.ts";

/** The fields of an event; `data` last, as servers write it. */
const FIELDS = ["event", "id", "retry", "data"];

/**
 * Writes each item of an array as an event; any other value is the only event. An object with no other properties than
 * `event`, `id`, `retry` and `data` is an event as it stands; anything else is the data of one.
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
 * Reads an event stream as an array of events. Where the schema knows nothing of a `data` field, an item is what the
 * event's data says as JSON.
 */
export function decodeEventStream(bytes: Uint8Array, _mediaType: MediaType, { types }: DecoderContext): DecodedBody {
  const text = decodeText(bytes, "utf-8");
  if (text === undefined) return { kind: "malformed", message: "is not an event stream: it is not UTF-8" };
  const { allowed, propertyNames } = types.item(0);
  const isEvent = allowed.size === 0 || propertyNames.has("data") || propertyNames.has("event");
  const events = text.replace(/^\ufeff/, "").split(/\r\n\r\n|\n\n|\r\r/).map(readEvent).filter((event) =>
    "data" in event
  );
  const values: unknown[] = [];
  for (const [index, event] of events.entries()) {
    if (isEvent || allowed.has("string")) {
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
  for (const line of block.split(/\r\n|\r|\n/)) {
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
