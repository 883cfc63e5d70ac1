import { messageOf } from "../../http/message.ts";
import { SaxesParser } from "saxes";
import type { XmlElement } from "./element.ts";

/** What a text says as XML. */
export type XmlReading = { kind: "document"; root: XmlElement } | { kind: "malformed"; message: string };

/** Nesting of elements. */
const MOST_DEPTH = 500;

/**
 * Reads an XML document.
 *
 * Nothing outside the text is read, and entities that it declares itself are refused, so that a text of any content
 * costs what its length costs.
 *
 * @returns The document's root, or where and why the text is none; the message goes after the name of what it is about.
 */
export function readXml(text: string): XmlReading {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    if (open.length === MOST_DEPTH) throw new RangeError(`elements are nested more than ${MOST_DEPTH} deep`);
    const element: XmlElement = {
      kind: "element",
      name: { local: tag.local, prefix: tag.prefix, namespace: tag.uri },
      attributes: Object.values(tag.attributes).map(({ local, prefix, uri, value }) => ({
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
  try {
    parser.write(text).close();
  } catch (error) {
    return { kind: "malformed", message: `is not XML: ${reasonOf(error)}` };
  }
  return root === undefined
    ? { kind: "malformed", message: "is not XML: it has no element" }
    : { kind: "document", root };
}

/** `1:7: unexpected close tag.` as `unexpected close tag (line 1, column 7)`. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  const [, line, column, reason] = /^(?:.*:)?(\d+):(\d+): (.*?)\.?$/s.exec(message) ?? [];
  return reason === undefined ? message : `${reason} (line ${line}, column ${column})`;
}
