import { messageOf } from "../http/message.ts";
import type { MediaType } from "../http/media_type.ts";
import type { DecodedBody, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";

/** The deepest nesting of objects and arrays that is accepted. */
const MOST_DEPTH = 500;

/** Writes a value as JSON text. */
export function encodeJson(value: unknown): Encoding {
  return { body: toJson(value) };
}

/** The JSON text of a value; empty for `undefined`. */
export function toJson(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}

/** Reads JSON text. */
export function decodeJson(bytes: Uint8Array, mediaType: MediaType): DecodedBody {
  const text = decodeText(bytes, mediaType.parameters.get("charset"));
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  return fromJson(text);
}

/**
 * Reads JSON text. Text nested deeper than 500 levels is malformed.
 *
 * @param where Which part of a body the text is, for the message: ` in line 3`.
 */
export function fromJson(text: string, where = ""): DecodedBody {
  try {
    const value: unknown = JSON.parse(text);
    if (text.length > 2 * MOST_DEPTH && opensMoreThan(text, MOST_DEPTH) && isDeeper(value, MOST_DEPTH)) {
      return { kind: "malformed", message: `is nested more than ${MOST_DEPTH} deep${where}` };
    }
    return { kind: "value", value };
  } catch (error) {
    const reason = messageOf(error);
    return { kind: "malformed", message: `is not JSON${where}: ${reason}` };
  }
}

/**
 * Whether a text has enough opening brackets to be nested too deep. Counting them is cheaper than walking the value,
 * which is necessary only then.
 */
function opensMoreThan(text: string, most: number): boolean {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit === 0x5b || unit === 0x7b) && ++opened > most) return true;
  }
  return false;
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((part) => typeof part === "object" && part !== null ? Object.values(part) : []);
  }
  return false;
}
