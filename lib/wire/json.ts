import type { MediaType } from "../http/media_type.ts";
import { parseJson } from "../schema/json.ts";
import type { DecodedBody, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";

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
  const parsed = parseJson(text, where);
  return parsed.kind === "value" ? parsed : { kind: "malformed", message: parsed.reason };
}
