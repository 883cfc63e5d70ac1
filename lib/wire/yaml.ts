/**
 * Encodes and decodes YAML.
 *
 * @module
 */
import { dump } from "js-yaml";
import { EXACT_DUMP_SCHEMA } from "../openapi/text/exact_yaml.ts";
import type { MediaType } from "../http/media_type.ts";
import { takeValues, tooManyValues } from "../schema/json/json.ts";
import { locateDiagnostics } from "../openapi/diagnostic.ts";
import { readSource } from "../openapi/text/source.ts";
import type { DecodedBody, DecoderContext, Encoding } from "./body.ts";
import { decodeStrictly } from "../http/decode_strictly.ts";
import { isText } from "./text.ts";

export function encodeYaml(value: unknown): Encoding {
  return { body: value === undefined ? "" : dump(value, { lineWidth: -1, noRefs: true, schema: EXACT_DUMP_SCHEMA }) };
}

/**
 * Decodes a YAML document, with the limits of a definition besides those of a body. Where the schema allows a string but no object or
 * array, and the document is an object or array, the value is the document's text.
 */
export async function decodeYaml(
  bytes: Uint8Array,
  mediaType: MediaType,
  { hints, values }: DecoderContext,
): Promise<DecodedBody> {
  const text = decodeStrictly(bytes, { charset: mediaType.parameters.get("charset") });
  if (text === undefined) return { kind: "malformed", message: "is not YAML: it is not UTF-8" };
  if (!takeValues(values, countLines(text))) return { kind: "too-large", message: tooManyValues(values) };
  const { source: { value }, diagnostics } = await readSource("body", text);
  const [error] = locateDiagnostics(diagnostics.filter(({ severity }) => severity === "error"));
  if (error === undefined) {
    return { kind: "value", value: typeof value === "object" && value !== null && isText(hints) ? text : value };
  }
  const reason = error.message.replace(/\.$/, "");
  return { kind: "malformed", message: `is not YAML: ${reason} (line ${error.line}, column ${error.column})` };
}

/** The most values that a YAML document may have before aliases are expanded: one for each line, comma and bracket. */
function countLines(text: string): number {
  let count = 1;
  for (const _ of text.matchAll(/[\n,[{]/g)) count++;
  return count;
}
