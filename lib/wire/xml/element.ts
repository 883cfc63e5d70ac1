/**
 * XML elements, and their names. A property may have any name, an element may not: characters that are illegal in a
 * name are escaped as `_xHHHH_`, and an empty name as `_x_`. SQL/XML (ISO/IEC 9075-14, section 9.1) and .NET have the
 * same convention.
 *
 * @module
 * @see {@link https://www.w3.org/TR/xml-names/#NT-NCName Namespaces in XML 1.0, NCName}
 */
export interface XmlName {
  /** The local name, escaped where necessary. */
  local: string;
  /** The prefix; empty for none. */
  prefix: string;
  /** The URI of the namespace. It is empty for none, and where the schema gives only a prefix. */
  namespace: string;
}

export interface XmlAttribute {
  kind: "attribute";
  name: XmlName;
  value: string;
}

/** Text between tags; `cdata` for a CDATA section. */
export interface XmlText {
  kind: "text" | "cdata";
  text: string;
}

/** An element with its content, in the order of the document. */
export interface XmlElement {
  kind: "element";
  name: XmlName;
  attributes: XmlAttribute[];
  children: (XmlElement | XmlText)[];
}

export type XmlNode = XmlElement | XmlAttribute | XmlText;

/** Namespace of `xsi:nil`, which distinguishes `null` from an empty element (XML Schema Part 1, section 2.6.2). */
export const XSI = "http://www.w3.org/2001/XMLSchema-instance";
/** Namespace of the attributes `xmlns` and `xmlns:prefix`. */
export const XMLNS = "http://www.w3.org/2000/xmlns/";

/** Whether an element stands for `null`: whether it has `xsi:nil="true"`. */
export function isNil({ attributes }: XmlElement): boolean {
  return attributes.some(({ name, value }) =>
    name.namespace === XSI && name.local === "nil" && ["true", "1"].includes(value.trim())
  );
}

/** Leaves out namespace declarations, and attributes of XML Schema such as `xsi:nil`. */
export function ownAttributes(attributes: readonly XmlAttribute[]): XmlAttribute[] {
  return attributes.filter(({ name }) => name.namespace !== XMLNS && name.namespace !== XSI);
}

export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((part) => part.kind === "element");
}

/** The number of elements in a tree, including its root. */
export function elementSize(element: XmlElement): number {
  return elementsOf(element).reduce((size, part) => size + elementSize(part), 1);
}

/** The text nodes directly in an element, between its child elements. */
export function textsOf({ children }: XmlElement): XmlText[] {
  return children.filter((part) => part.kind !== "element");
}

/** The text directly in an element, without the text of its child elements. */
export function elementText(element: XmlElement): string {
  return textsOf(element).map(({ text }) => text).join("");
}

export function named(elements: readonly XmlElement[], names: readonly XmlName[]): XmlElement[] {
  return elements.filter((part) => names.some((name) => isNamed(part.name, name)));
}

/**
 * Whether an element or attribute has a name that a schema gives. A name without a namespace matches any namespace,
 * since elements inherit the default namespace of the document.
 */
export function isNamed(name: XmlName, wanted: XmlName): boolean {
  return name.local === wanted.local && (wanted.namespace === "" || name.namespace === wanted.namespace);
}

/**
 * The text directly in an element, without white space that indents child elements. For `cdata`, only the text of CDATA
 * sections, if there are any.
 */
export function ownText(element: XmlElement, nodeType: "text" | "cdata"): string {
  const texts = textsOf(element);
  const sections = texts.filter(({ kind }) => kind === "cdata");
  if (nodeType === "cdata" && sections.length > 0) return sections.map(({ text }) => text).join("");
  if (texts.length === 1 && elementsOf(element).length === 0) return elementText(element);
  return texts.filter(({ text }) => text.trim() !== "").map(({ text }) => text).join("");
}

export function hasParts(element: XmlElement): boolean {
  return elementsOf(element).length > 0 || ownAttributes(element.attributes).length > 0;
}

/** The parts of an element that haven't been read as a property yet. */
export interface Remainder {
  attributes: Set<XmlAttribute>;
  elements: Set<XmlElement>;
  /** Whether the text of the element was read as a property. */
  text: boolean;
  /** The number of objects without an element of their own that were read from the element. */
  parts: number;
}

export function wholeOf(element: XmlElement): Remainder {
  return { attributes: new Set(element.attributes), elements: new Set(elementsOf(element)), text: false, parts: 0 };
}

/** Copies a remainder, so that a reading can be tried and discarded. */
export function copyOf({ attributes, elements, ...rest }: Remainder): Remainder {
  return { attributes: new Set(attributes), elements: new Set(elements), ...rest };
}

/** Removes the first elements with one of the names from a remainder, and returns them. */
export function take(left: Remainder, names: readonly XmlName[], most = Infinity): XmlElement[] {
  const found = named([...left.elements], names).slice(0, most);
  for (const part of found) left.elements.delete(part);
  return found;
}

const START =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}" +
  "\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const PART = `${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`;

const NAME = new RegExp(`^[${START}][${PART}]*$`, "u");
/**
 * Characters to escape in a name: the `_` of text that looks like an escape, and illegal characters, among them those
 * that are illegal only at the start.
 */
const TO_ESCAPE = new RegExp(`_(?=x(?:[0-9A-Fa-f]{4,6})?_)|^[^${START}]|[^${PART}]`, "gu");

/** Escapes the characters that are illegal in the name of an element. */
export function escapeName(name: string): string {
  if (NAME.test(name) && !name.includes("_x")) return name;
  return name === "" ? "_x_" : name.replace(TO_ESCAPE, escapeCharacter);
}

/** Undoes {@linkcode escapeName}. */
export function unescapeName(name: string): string {
  if (!name.includes("_x")) return name;
  if (name === "_x_") return "";
  return name.replace(/_x([0-9A-Fa-f]{4,6})_/g, (escaped, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : escaped;
  });
}

function escapeCharacter(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `_x${hex.padStart(4, "0")}_`;
}
