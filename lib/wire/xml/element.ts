/**
 * Elements, and the names of elements and attributes.
 *
 * A property may have any name, but an element may not. Characters that can't stand in a name are escaped as `_xHHHH_`,
 * a convention of SQL/XML (ISO/IEC 9075-14, section 9.1) and of .NET; an empty name is written as `_x_`. Readers undo
 * the escapes.
 *
 * @module
 * @see {@link https://www.w3.org/TR/xml-names/#NT-NCName Namespaces in XML 1.0, NCName}
 */
/** The name of an element or an attribute. */
export interface XmlName {
  /** A legal name without a colon. */
  local: string;
  /** Empty for none. */
  prefix: string;
  /** URI of the namespace; empty for none, or where the schema gives a prefix alone. */
  namespace: string;
}

/** An attribute of an element. */
export interface XmlAttribute {
  kind: "attribute";
  name: XmlName;
  value: string;
}

/** Characters between tags; `cdata` where they stand in a CDATA section. */
export interface XmlText {
  kind: "text" | "cdata";
  text: string;
}

/** An element and its content, in order. */
export interface XmlElement {
  kind: "element";
  name: XmlName;
  attributes: XmlAttribute[];
  children: (XmlElement | XmlText)[];
}

/** A part of an XML document. */
export type XmlNode = XmlElement | XmlAttribute | XmlText;

/** Namespace of `xsi:nil`, which distinguishes `null` from an empty element (XML Schema Part 1, section 2.6.2). */
export const XSI = "http://www.w3.org/2001/XMLSchema-instance";
/** Namespace of `xmlns` and `xmlns:prefix`. */
export const XMLNS = "http://www.w3.org/2000/xmlns/";

/** Whether an element is `null`: has `xsi:nil="true"`. */
export function isNil({ attributes }: XmlElement): boolean {
  return attributes.some(({ name, value }) =>
    name.namespace === XSI && name.local === "nil" && ["true", "1"].includes(value.trim())
  );
}

/** The attributes, except for namespace declarations and attributes of XML Schema, such as `xsi:nil`. */
export function ownAttributes(attributes: readonly XmlAttribute[]): XmlAttribute[] {
  return attributes.filter(({ name }) => name.namespace !== XMLNS && name.namespace !== XSI);
}

/** The elements in an element. */
export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((part) => part.kind === "element");
}

/** The number of elements: the element itself and all within it. */
export function sizeOf(element: XmlElement): number {
  return elementsOf(element).reduce((size, part) => size + sizeOf(part), 1);
}

/** The texts directly in an element, between its child elements. */
export function textsOf({ children }: XmlElement): XmlText[] {
  return children.filter((part) => part.kind !== "element");
}

/** The text directly in an element, without that of its child elements. */
export function textOf(element: XmlElement): string {
  return textsOf(element).map(({ text }) => text).join("");
}

/** The elements that have one of these names. */
export function named(elements: readonly XmlElement[], names: readonly XmlName[]): XmlElement[] {
  return elements.filter((part) => names.some((name) => isNamed(part.name, name)));
}

/**
 * Whether an element has a wanted name. A wanted name without a namespace matches any namespace, since elements inherit
 * the default namespace.
 */
export function isNamed(name: XmlName, wanted: XmlName): boolean {
  return name.local === wanted.local && (wanted.namespace === "" || name.namespace === wanted.namespace);
}

/**
 * The text directly in an element, without the white space that only indents child elements. For `cdata`, only the text
 * of CDATA sections, if there are any.
 */
export function ownText(element: XmlElement, nodeType: "text" | "cdata"): string {
  const texts = textsOf(element);
  const sections = texts.filter(({ kind }) => kind === "cdata");
  if (nodeType === "cdata" && sections.length > 0) return sections.map(({ text }) => text).join("");
  if (texts.length === 1 && elementsOf(element).length === 0) return textOf(element);
  return texts.filter(({ text }) => text.trim() !== "").map(({ text }) => text).join("");
}

/** Whether an element has elements or attributes. */
export function hasParts(element: XmlElement): boolean {
  return elementsOf(element).length > 0 || ownAttributes(element.attributes).length > 0;
}

/** The parts of an element that no property has been read from yet. */
export interface Remainder {
  attributes: Set<XmlAttribute>;
  elements: Set<XmlElement>;
  /** Whether a property has been read from the element's text. */
  text: boolean;
  /** How many objects without an element of their own were read. */
  parts: number;
}

/** The initial remainder: all of an element. */
export function wholeOf(element: XmlElement): Remainder {
  return { attributes: new Set(element.attributes), elements: new Set(elementsOf(element)), text: false, parts: 0 };
}

/** A copy, for trying a reading that may be discarded. */
export function copyOf({ attributes, elements, ...rest }: Remainder): Remainder {
  return { attributes: new Set(attributes), elements: new Set(elements), ...rest };
}

/** Removes the first elements that have one of these names from the remainder, and returns them. */
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
 * Characters to escape: the `_` of a name that looks like an escape, an illegal first character, any other illegal one.
 */
const TO_ESCAPE = new RegExp(`_(?=x(?:[0-9A-Fa-f]{4,6})?_)|^[^${START}]|[^${PART}]`, "gu");

/** The name with all characters escaped that can't stand in the name of an element. */
export function escapeName(name: string): string {
  if (NAME.test(name) && !name.includes("_x")) return name;
  return name === "" ? "_x_" : name.replace(TO_ESCAPE, escapeCharacter);
}

/** The name that was escaped. */
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
