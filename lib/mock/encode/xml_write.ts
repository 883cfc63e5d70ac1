import { isUnicode } from "./charset.ts";
import { type XmlElement, type XmlName, XMLNS, XSI } from "./xml_element.ts";

/** Namespaces by prefix; the default namespace has the empty prefix. */
type Scope = ReadonlyMap<string, string>;

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
 * Writes an XML document.
 *
 * Each prefix is declared once where that is possible: at the nearest element around all that use it. A prefix without a
 * namespace means the one that is declared around it; where none is, it gets `urn:` and the prefix as its namespace,
 * since parsers refuse prefixes that mean nothing. Characters that XML can't write are replaced by U+FFFD.
 *
 * @param charset The charset that the text will be encoded in; what it lacks is escaped. Default: UTF-8.
 */
export function writeXml(root: XmlElement, charset?: string): string {
  const shared = new Map<XmlElement, Map<string, string>>();
  shareDeclarations(root, shared);
  const text = `<?xml version="1.0" encoding="${charset ?? "UTF-8"}"?>${writeElement(root, new Map())}`;
  return isUnicode(charset) ? text : text.replace(/[^\0-\x7e]/gu, escapeCharacter);

  function writeElement(element: XmlElement, around: Scope): string {
    const scope = new Map(around);
    // Data may declare prefixes of its own: a property `xmlns:a` that is an attribute.
    const byData = new Set<string>();
    let declarations = "";
    const declare = (prefix: string, namespace: string): void => {
      if (scope.get(prefix) === namespace || byData.has(prefix)) return;
      scope.set(prefix, namespace);
      declarations += ` xmlns${prefix && ":"}${prefix}="${escape(namespace, IN_ATTRIBUTE)}"`;
    };

    let attributes = "";
    for (const { name, value } of element.attributes) {
      attributes += ` ${qualified(name)}="${escape(value, IN_ATTRIBUTE)}"`;
      if (name.namespace !== XMLNS) continue;
      const prefix = name.prefix === "" ? "" : name.local;
      byData.add(prefix);
      scope.set(prefix, value);
    }
    bind(element.name);
    for (const { name } of element.attributes) if (name.prefix !== "" && name.namespace !== XMLNS) bind(name);
    for (const [prefix, namespace] of shared.get(element) ?? []) declare(prefix, namespace);

    const start = qualified(element.name) + declarations + attributes;
    let content = "";
    for (const child of element.children) {
      if (child.kind === "element") content += writeElement(child, scope);
      else content += child.kind === "text" ? escape(child.text, IN_TEXT) : writeCdata(child.text);
    }
    return content === "" ? `<${start}/>` : `<${start}>${content}</${qualified(element.name)}>`;

    function bind({ prefix, namespace }: XmlName): void {
      if (prefix === "xml") return;
      if (namespace !== "") declare(prefix, namespace);
      else if (prefix !== "" && !scope.has(prefix)) declare(prefix, prefix === "xsi" ? XSI : `urn:${prefix}`);
    }
  }
}

/** Notes at each element the prefixes that more than one of its children use; returns all that are used in it. */
function shareDeclarations(element: XmlElement, shared: Map<XmlElement, Map<string, string>>): Map<string, string> {
  const used = new Map<string, string>();
  for (const { prefix, namespace } of [element.name, ...element.attributes.map(({ name }) => name)]) {
    if (prefix !== "" && prefix !== "xml" && namespace !== "" && namespace !== XMLNS) used.set(prefix, namespace);
  }
  const common = new Map<string, string>();
  for (const child of element.children) {
    if (child.kind !== "element") continue;
    for (const [prefix, namespace] of shareDeclarations(child, shared)) {
      if (used.get(prefix) === namespace) common.set(prefix, namespace);
      else if (!used.has(prefix)) used.set(prefix, namespace);
    }
  }
  if (common.size > 0) shared.set(element, common);
  return used;
}

function qualified({ prefix, local }: XmlName): string {
  return prefix === "" ? local : `${prefix}:${local}`;
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
