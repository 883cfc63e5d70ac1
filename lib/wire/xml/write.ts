/**
 * Serializes XML documents, with namespace declarations.
 *
 * @module
 * @see {@link https://www.w3.org/TR/xml-names/ Namespaces in XML 1.0}
 */
import { isUnicode } from "../charset.ts";
import { type XmlAttribute, type XmlElement, type XmlName, XMLNS, XSI } from "./element.ts";

/** Characters that XML 1.0 can't represent, even escaped (section 2.2), and single surrogates. */
const FORBIDDEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Characters to escape in text. A parser would turn a carriage return into a line feed (XML 1.0, section 2.11). */
const IN_TEXT = /[&<>\r]/g;
/** Characters to escape in attributes. A parser would turn other white space into spaces (XML 1.0, section 3.3.3). */
const IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Serializes an XML document. A namespace that several child elements use is declared once, on their parent. Characters
 * that XML can't represent are replaced by U+FFFD.
 *
 * @param charset The charset that the text will be encoded in. If the charset can't encode all of Unicode, characters
 * outside ASCII are escaped. Default: UTF-8.
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

/** Writes a CDATA section. It ends at `]]>`, so a `]]>` in the text is split between two sections. */
function writeCdata(text: string): string {
  return `<![CDATA[${text.replace(FORBIDDEN, "\ufffd").replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

/** The namespaces in scope, by prefix; the default namespace has the empty prefix. */
type Scope = ReadonlyMap<string, string>;

/** The qualified names of an element and its attributes, with the namespace declarations that they need. */
interface WrittenNames {
  element: string;
  /** The qualified name of each attribute. Attributes that can't be represented have none. */
  attributes: Map<XmlAttribute, string>;
  /** The namespaces that the element must declare. */
  declarations: [prefix: string, namespace: string][];
  /** The namespaces in scope inside the element. */
  scope: Scope;
}

/**
 * Finds the qualified names of an element and its attributes, and the namespaces that the element must declare.
 *
 * A prefix without a namespace means the namespace in scope. If there is none, the namespace becomes `urn:` and the
 * prefix, since parsers refuse undeclared prefixes. If an element uses one prefix for two namespaces, the second prefix
 * gets a number. Attributes such as `xmlns:a` declare a prefix themselves.
 *
 * @param around The namespaces in scope outside the element.
 * @param shared The namespaces that the element declares for its child elements.
 */
function writtenNames(element: XmlElement, around: Scope, shared: Scope | undefined): WrittenNames {
  const prefixes = new Prefixes(around);
  // Leaves out `xmlns:a=""`: a prefix can't be declared with an empty namespace (Namespaces in XML 1.0, section 2.2).
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

  take(prefix: string, namespace: string): void {
    this.#taken.add(prefix);
    this.#scope.set(prefix, namespace);
  }

  /** Declares the prefixes that several child elements use. */
  declare(shared: Scope | undefined): void {
    for (const [prefix, namespace] of shared ?? []) if (!this.#taken.has(prefix)) this.#bind(prefix, namespace);
  }

  /** The qualified name, such as `a:name`. */
  qualify({ prefix, local, namespace }: XmlName): string {
    if (prefix === "") {
      if (namespace !== "" && namespace !== XMLNS) this.#bind("", namespace);
      return local;
    }
    if (prefix === "xml" || namespace === XMLNS) return `${prefix}:${local}`;
    const meant = namespace || this.#scope.get(prefix) || (prefix === "xsi" ? XSI : `urn:${prefix}`);
    return `${this.#bind(prefix, meant)}:${local}`;
  }

  /**
   * Binds a prefix to a namespace. Returns a numbered prefix where the element uses the prefix for another namespace.
   */
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

/** The prefixes that each element declares for its child elements. */
type SharedPrefixes = ReadonlyMap<XmlElement, Scope>;

/** Finds the prefixes that several nodes of an element use: the element itself or its child elements. */
function sharedPrefixes(root: XmlElement): SharedPrefixes {
  const shared = new Map<XmlElement, Scope>();
  collectPrefixes(root, shared);
  return shared;
}

/** Collects the shared prefixes of each element. Returns all prefixes that the element and its descendants use. */
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
