import { isUnicode } from "../charset.ts";
import type { XmlElement } from "./element.ts";
import { type Scope, sharedPrefixes, writtenNames } from "./scope.ts";

/** Characters that XML 1.0 has no way to write (section 2.2), and halves of surrogate pairs. */
const FORBIDDEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** In text, a carriage return that isn't escaped is read as a line feed (section 2.11). */
const IN_TEXT = /[&<>\r]/g;
/** In attributes, white space that isn't escaped is read as a space (section 3.3.3). */
const IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Writes an XML document, its namespaces declared once where that is possible. Characters that XML can't write are
 * replaced by U+FFFD.
 *
 * @param charset The charset that the text will be encoded in; what it lacks is escaped. Default: UTF-8.
 */
export function writeXml(root: XmlElement, charset?: string): string {
  const shared = sharedPrefixes(root);
  const text = `<?xml version="1.0" encoding="${charset ?? "UTF-8"}"?>${writeElement(root, new Map())}`;
  return isUnicode(charset) ? text : text.replace(/[^\0-\x7e]/gu, escapeCharacter);

  function writeElement(element: XmlElement, around: Scope): string {
    const names = writtenNames(element, around, shared.get(element));
    let start = names.element;
    for (const [prefix, namespace] of names.declarations) {
      start += ` ${prefix === "" ? "xmlns" : `xmlns:${prefix}`}="${escape(namespace, IN_ATTRIBUTE)}"`;
    }
    for (const attribute of element.attributes) {
      const name = names.attributes.get(attribute);
      if (name !== undefined) start += ` ${name}="${escape(attribute.value, IN_ATTRIBUTE)}"`;
    }
    let content = "";
    for (const child of element.children) {
      if (child.kind === "element") content += writeElement(child, names.scope);
      else content += child.kind === "text" ? escape(child.text, IN_TEXT) : writeCdata(child.text);
    }
    return content === "" ? `<${start}/>` : `<${start}>${content}</${names.element}>`;
  }
}

function escape(text: string, special: RegExp): string {
  return text.replace(FORBIDDEN, "\ufffd").replace(
    special,
    (character) => ENTITIES[character] ?? escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

/** A section can't contain its own end, so that is split between two. */
function writeCdata(text: string): string {
  return `<![CDATA[${text.replace(FORBIDDEN, "\ufffd").replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}
