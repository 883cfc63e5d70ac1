import type { MediaType } from "../http/media_type.ts";
import { parseJson, writeJson } from "../schema/json.ts";
import type { DecodedBody, Encoding } from "./body.ts";
import { decodeText } from "./charset.ts";

export function encodeJson(value: unknown): Encoding {
  return { body: toJson(value) };
}

/** The JSON text of a value; the empty string for `undefined`. */
export function toJson(value: unknown): string {
  return value === undefined ? "" : writeJson(value);
}

export function decodeJson(bytes: Uint8Array, mediaType: MediaType): DecodedBody {
  const text = decodeText(bytes, mediaType.parameters.get("charset"));
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  return fromJson(text);
}

/**
 * Parses JSON text. Text nested deeper than 500 levels counts as malformed.
 *
 * @param where The place of the text in its body, for the message: ` in line 3`.
 */
export function fromJson(text: string, where = ""): DecodedBody {
  const parsed = parseJson(text, where);
  return parsed.kind === "value" ? parsed : { kind: "malformed", message: parsed.reason };
}
