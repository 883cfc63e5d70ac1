import { SaxesParser } from "saxes";
import { messageOf } from "../../http/message.ts";
import type { MediaType } from "../../http/media_type.ts";
import type { DecodedBody, DecoderContext } from "../body.ts";
import { latin1Text } from "../../http/latin1.ts";
import { takeValues, tooManyValues, type ValueCount } from "../../schema/json/json.ts";
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { isText } from "../text.ts";
import { MOST_SEARCHED } from "../chooser.ts";
import { elementSize, elementsOf, type XmlElement } from "./element.ts";
import { xmlNameOf, xmlNamesOf, xmlObjectOf } from "./object.ts";
import { fromXml } from "./value.ts";

/**
 * Decodes an XML document by its schema. If the schema names the root element, a document with another root element is
 * malformed.
 */
export async function decodeXml(
  bytes: Uint8Array,
  mediaType: MediaType,
  { hints, validators, values }: DecoderContext,
): Promise<DecodedBody> {
  const charset = mediaType.parameters.get("charset") ?? declaredCharset(bytes);
  const text = decodeStrictly(bytes, { charset });
  if (text === undefined) return { kind: "malformed", message: `is not XML: it is not ${charset ?? "UTF-8"}` };
  const reading = readXml(text, values);
  if (reading.kind !== "document") return reading;
  const { root } = reading;
  const xml = xmlObjectOf(hints);
  const names = new Set(xmlNamesOf(hints).map((name) => xmlNameOf({ ...xml, name }, "").local));
  if (xml.name !== undefined && !names.has(root.name.local)) {
    return {
      kind: "malformed",
      message: `has the root element <${root.name.local}>, but its schema wants <${xml.name}>`,
    };
  }
  // Many definitions give an XML document the type `string`: then the value is the text of the document.
  if (isText(hints) && elementsOf(root).length > 0) return { kind: "value", value: text };
  const createValidator = await validators.load();
  const value = fromXml(root, hints, createValidator);
  if (hints.alternatives.length === 0 || elementSize(root) > MOST_SEARCHED) return { kind: "value", value };
  return {
    kind: "value",
    value,
    otherwise: () => Promise.resolve(fromXml(root, hints, createValidator, "thorough")),
  };
}

/** The charset that an XML declaration names (XML 1.0, section 4.3.3), or that a byte order mark indicates. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(latin1Text(bytes.subarray(0, 200)))?.[1];
}

/** The result of parsing an XML document. */
export type XmlReading = { kind: "document"; root: XmlElement } | { kind: "malformed" | "too-large"; message: string };

/** Ends the parser, whose handlers can't return anything. */
class TooManyValues extends Error {}

/** Limit of the nesting of elements. */
const MOST_DEPTH = 500;

/**
 * Parses an XML document. External entities aren't loaded, and a document that declares entities is malformed. The work
 * therefore grows only with the length of the text.
 *
 * @returns The root element; for a malformed document, a message that completes a sentence beginning with the name of
 * the body or part.
 */
export function readXml(text: string, values: ValueCount): XmlReading {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  // The attributes of a tag are counted one by one: the parser takes time for each of them before it reports the tag.
  parser.on("attribute", () => takeOne());
  parser.on("opentag", (tag) => {
    takeOne();
    const attributes = Object.values(tag.attributes);
    if (open.length === MOST_DEPTH) throw new RangeError(`elements are nested more than ${MOST_DEPTH} deep`);
    const element: XmlElement = {
      kind: "element",
      name: { local: tag.local, prefix: tag.prefix, namespace: tag.uri },
      attributes: attributes.map(({ local, prefix, uri, value }) => ({
        kind: "attribute",
        name: { local, prefix, namespace: uri },
        value,
      })),
      children: [],
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on("closetag", () => open.pop());
  parser.on("text", (text) => open.at(-1)?.children.push({ kind: "text", text }));
  parser.on("cdata", (text) => open.at(-1)?.children.push({ kind: "cdata", text }));
  function takeOne(): void {
    if (!takeValues(values, 1)) throw new TooManyValues();
  }
  try {
    parser.write(text).close();
  } catch (error) {
    if (error instanceof TooManyValues) return { kind: "too-large", message: tooManyValues(values) };
    return { kind: "malformed", message: `is not XML: ${reasonOf(error)}` };
  }
  return root === undefined
    ? { kind: "malformed", message: "is not XML: it has no element" }
    : { kind: "document", root };
}

/** Rewrites a message of the parser: `1:7: unexpected close tag.` becomes `unexpected close tag (line 1, column 7)`. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  const [, line, column, reason] = /^(?:.*:)?(\d+):(\d+): (.*?)\.?$/s.exec(message) ?? [];
  return reason === undefined ? message : `${reason} (line ${line}, column ${column})`;
}
