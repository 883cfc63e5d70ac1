import type { MediaType } from "../http/media_type.ts";
import { type JsonOptions, parseJson, writeJson } from "../schema/json/json.ts";
import type { DecodedBody, DecoderContext, Encoding } from "./body.ts";
import { decodeStrictly } from "../http/decode_strictly.ts";

export function encodeJson(value: unknown): Encoding {
  return { body: toJson(value) };
}

/** The JSON text of a value; the empty string for `undefined`. */
export function toJson(value: unknown): string {
  return value === undefined ? "" : writeJson(value);
}

export function decodeJson(
  bytes: Uint8Array,
  mediaType: MediaType,
  { values }: Pick<DecoderContext, "values">,
): DecodedBody {
  const text = decodeStrictly(bytes, { charset: mediaType.parameters.get("charset") });
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  return fromJson(text, { values });
}

/** Parses JSON text. Text nested deeper than 500 levels counts as malformed. */
export function fromJson(text: string, options?: JsonOptions): DecodedBody {
  const parsed = parseJson(text, options);
  return parsed.kind === "value" ? parsed : { kind: parsed.kind, message: parsed.reason };
}
