import type { MediaType } from "../../http/media_type.ts";
import type { DecodedBody, DecoderContext } from "../body.ts";
import { decodeText, latin1Text } from "../charset.ts";
import { isText } from "../text.ts";
import { elementsOf } from "./element.ts";
import { xmlNameOf, xmlNamesOf, xmlObjectOf } from "./object.ts";
import { readXml } from "./read.ts";
import { fromXml } from "./value.ts";

/**
 * Reads an XML document as the value that its schema describes. A root that the schema gives a name must have it.
 */
export async function decodeXml(
  bytes: Uint8Array,
  mediaType: MediaType,
  { document, types, direction, judge }: DecoderContext,
): Promise<DecodedBody> {
  const charset = mediaType.parameters.get("charset") ?? declaredCharset(bytes);
  const text = decodeText(bytes, charset);
  if (text === undefined) return { kind: "malformed", message: `is not XML: it is not ${charset ?? "UTF-8"}` };
  const reading = readXml(text);
  if (reading.kind === "malformed") return reading;
  const { root } = reading;
  const xml = xmlObjectOf(document, types);
  const names = new Set(xmlNamesOf(types).map((name) => xmlNameOf({ ...xml, name }, "").local));
  if (xml.name !== undefined && !names.has(root.name.local)) {
    return {
      kind: "malformed",
      message: `has the root element <${root.name.local}>, but its schema wants <${xml.name}>`,
    };
  }
  // Many definitions describe any document as a string.
  if (isText(types) && elementsOf(root).length > 0) return { kind: "value", value: text };
  const read = fromXml(root, document, types, { direction, fitsWithin: judge.loaded() });
  if (!read.isUndecided) return { kind: "value", value: read.value };
  return { kind: "value", value: fromXml(root, document, types, { direction, fitsWithin: await judge.load() }).value };
}

/** The encoding that an XML declaration names (XML 1.0, section 4.3.3), or a byte order mark means. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(latin1Text(bytes.subarray(0, 200)))?.[1];
}
