/**
 * Writes XML documents: text, names, and where namespaces are declared.
 *
 * @module
 * @see {@link https://www.w3.org/TR/xml-names/ Namespaces in XML 1.0}
 */
import { isUnicode } from "../charset.ts";
import { type XmlAttribute, type XmlElement, type XmlName, XMLNS, XSI } from "./element.ts";

/** Characters that XML 1.0 has no way to write (section 2.2), and halves of surrogate pairs. */
const FORBIDDEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Characters to escape in text. A parser would read an unescaped carriage return as a line feed (section 2.11). */
const IN_TEXT = /[&<>\r]/g;
/** Characters to escape in attributes. A parser would read unescaped white space as a space (section 3.3.3). */
const IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Writes an XML document. An element declares the namespaces that several of its elements use. Characters that XML
 * can't write are replaced by U+FFFD.
 *
 * @param charset The charset that the text will be encoded in. Unless it has all of Unicode, characters outside ASCII
 * are escaped. Default: UTF-8.
 */
export function writeXml(root: XmlElement, charset?: string): string {
  const element = writeElement(root, new Map(), sharedPrefixes(root));
  const text = `<?xml version="1.0" encoding="${charset ?? "UTF-8"}"?>${element}`;
  return isUnicode(charset) ? text : text.replace(/[^\0-\x7e]/gu, escapeCharacter);
}

function writeElement(element: XmlElement, around: Scope, shared: SharedPrefixes): string {
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
    if (child.kind === "element") content += writeElement(child, names.scope, shared);
    else content += child.kind === "text" ? escape(child.text, IN_TEXT) : writeCdata(child.text);
  }
  return content === "" ? `<${start}/>` : `<${start}>${content}</${names.element}>`;
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

/** Writes a CDATA section. A section can't contain its end mark `]]>`, so the mark is split between two sections. */
function writeCdata(text: string): string {
  return `<![CDATA[${text.replace(FORBIDDEN, "\ufffd").replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

/** Namespaces by prefix; the default namespace has the empty prefix. */
type Scope = ReadonlyMap<string, string>;

/** An element's names as they are written. */
interface WrittenNames {
  element: string;
  /** The name of each attribute; attributes that can't be written are missing. */
  attributes: Map<XmlAttribute, string>;
  /** Namespaces by prefix that the element must declare. */
  declarations: [prefix: string, namespace: string][];
  /** The namespaces in scope within the element. */
  scope: Scope;
}

/**
 * Finds the prefixes of an element and its attributes, and the namespaces that the element must declare.
 *
 * A prefix without a namespace means the namespace declared around the element. If there is no such declaration, the
 * namespace is `urn:` and the prefix, since parsers refuse undeclared prefixes. If an element uses one prefix for two
 * namespaces, the second prefix is numbered. Attributes such as `xmlns:a` declare a prefix themselves.
 *
 * @param around Namespaces declared around the element.
 * @param shared Namespaces that the element should declare for the elements in it.
 */
function writtenNames(element: XmlElement, around: Scope, shared: Scope | undefined): WrittenNames {
  const prefixes = new Prefixes(around);
  // `xmlns:a=""` is left out: a prefix can't be declared with an empty namespace (Namespaces in XML 1.0, section 2.2).
  const attributes = element.attributes.filter(({ name, value }) =>
    name.namespace !== XMLNS || name.prefix === "" || value !== ""
  );
  for (const { name, value } of attributes) {
    if (name.namespace === XMLNS) prefixes.take(name.prefix === "" ? "" : name.local, value);
  }
  const elementName = prefixes.qualify(element.name);
  const attributeNames = new Map<XmlAttribute, string>();
  // Attributes with a namespace come first: they may declare the prefix of an attribute without a namespace.
  for (const attribute of attributes) {
    if (attribute.name.namespace !== "") attributeNames.set(attribute, prefixes.qualify(attribute.name));
  }
  for (const attribute of attributes) {
    if (attribute.name.namespace === "") attributeNames.set(attribute, prefixes.qualify(attribute.name));
  }
  prefixes.declare(shared);
  const { declarations, scope } = prefixes;
  return { element: elementName, attributes: attributeNames, declarations, scope };
}

/** The prefixes of one element. */
class Prefixes {
  readonly declarations: [prefix: string, namespace: string][] = [];
  readonly #scope: Map<string, string>;
  readonly #taken = new Set<string>();

  constructor(around: Scope) {
    this.#scope = new Map(around);
  }

  get scope(): Scope {
    return this.#scope;
  }

  /** Records a prefix that an attribute such as `xmlns:a` declares. */
  take(prefix: string, namespace: string): void {
    this.#taken.add(prefix);
    this.#scope.set(prefix, namespace);
  }

  /** Declares the prefixes that elements within this element share. */
  declare(shared: Scope | undefined): void {
    for (const [prefix, namespace] of shared ?? []) if (!this.#taken.has(prefix)) this.#bind(prefix, namespace);
  }

  /** The name with its prefix. */
  qualify({ prefix, local, namespace }: XmlName): string {
    if (prefix === "") {
      if (namespace !== "" && namespace !== XMLNS) this.#bind("", namespace);
      return local;
    }
    if (prefix === "xml" || namespace === XMLNS) return `${prefix}:${local}`;
    const meant = namespace || this.#scope.get(prefix) || (prefix === "xsi" ? XSI : `urn:${prefix}`);
    return `${this.#bind(prefix, meant)}:${local}`;
  }

  /** Binds a prefix to a namespace; returns a numbered prefix where the element uses this one for another namespace. */
  #bind(prefix: string, namespace: string): string {
    for (let number = 0;; number++) {
      const candidate = number === 0 ? prefix : `${prefix}${number}`;
      const isBound = this.#scope.get(candidate) === namespace;
      if (!isBound && this.#taken.has(candidate) && prefix !== "") continue;
      if (!isBound && !this.#taken.has(candidate)) {
        this.#scope.set(candidate, namespace);
        this.declarations.push([candidate, namespace]);
      }
      this.#taken.add(candidate);
      return candidate;
    }
  }
}

/** The prefixes that an element should declare for the elements in it. */
type SharedPrefixes = ReadonlyMap<XmlElement, Scope>;

/** Finds the prefixes that an element and its children use more than once: the element declares each of them once. */
function sharedPrefixes(root: XmlElement): SharedPrefixes {
  const shared = new Map<XmlElement, Scope>();
  collectPrefixes(root, shared);
  return shared;
}

/** Records the prefixes shared within an element, and returns all prefixes that are used in it. */
function collectPrefixes(element: XmlElement, shared: Map<XmlElement, Scope>): Map<string, string> {
  const used = new Map<string, string>();
  for (const { prefix, namespace } of [element.name, ...element.attributes.map(({ name }) => name)]) {
    if (prefix !== "" && prefix !== "xml" && namespace !== "" && namespace !== XMLNS) used.set(prefix, namespace);
  }
  const common = new Map<string, string>();
  for (const child of element.children) {
    if (child.kind !== "element") continue;
    for (const [prefix, namespace] of collectPrefixes(child, shared)) {
      if (used.get(prefix) === namespace) common.set(prefix, namespace);
      else if (!used.has(prefix)) used.set(prefix, namespace);
    }
  }
  if (common.size > 0) shared.set(element, common);
  return used;
}
