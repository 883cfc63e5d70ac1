/** The name of an element or an attribute. */
export interface XmlName {
  /** A legal name without a colon. */
  local: string;
  /** Empty for none. */
  prefix: string;
  /** URI of the namespace; empty for none, or for one that isn't known. */
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

/** An element and what is in it, in order. */
export interface XmlElement {
  kind: "element";
  name: XmlName;
  attributes: XmlAttribute[];
  children: (XmlElement | XmlText)[];
}

/** A part of an XML document. */
export type XmlNode = XmlElement | XmlAttribute | XmlText;

/** Namespace of `xsi:nil`, which tells `null` from an empty element (XML Schema Part 1, section 2.6.2). */
export const XSI = "http://www.w3.org/2001/XMLSchema-instance";
/** Namespace of `xmlns` and `xmlns:prefix`. */
export const XMLNS = "http://www.w3.org/2000/xmlns/";

/** Whether an element says that it is `null`. */
export function isNil({ attributes }: XmlElement): boolean {
  return attributes.some(({ name, value }) =>
    name.namespace === XSI && name.local === "nil" && ["true", "1"].includes(value.trim())
  );
}

/** The attributes without those that belong to XML itself and to XML Schema. */
export function ownAttributes(attributes: readonly XmlAttribute[]): XmlAttribute[] {
  return attributes.filter(({ name }) => name.namespace !== XMLNS && name.namespace !== XSI);
}

/** The elements in an element. */
export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((part) => part.kind === "element");
}

/** The texts beside the elements in an element. */
export function textsOf({ children }: XmlElement): XmlText[] {
  return children.filter((part) => part.kind !== "element");
}

/** All text of an element that isn't in one of its elements. */
export function textOf(element: XmlElement): string {
  return textsOf(element).map(({ text }) => text).join("");
}
