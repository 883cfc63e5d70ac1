/**
 * Parts of elements, and what schemas say of them.
 *
 * @module
 */
import { child, items, type Node } from "../../schema/node.ts";
import type { SchemaTypes } from "../schema_types.ts";
import { elementsOf, textOf, textsOf, type XmlAttribute, type XmlElement, type XmlName } from "./element.ts";

/** What is left of an element while its properties are read one after the other. */
export interface Remainder {
  attributes: Set<XmlAttribute>;
  elements: Set<XmlElement>;
  /** Whether the text was taken. */
  text: boolean;
  /** How many objects without an element of their own were read. */
  parts: number;
}

/** All of an element. */
export function wholeOf(element: XmlElement): Remainder {
  return { attributes: new Set(element.attributes), elements: new Set(elementsOf(element)), text: false, parts: 0 };
}

/** The same, to be tried without consequences. */
export function copyOf({ attributes, elements, ...rest }: Remainder): Remainder {
  return { attributes: new Set(attributes), elements: new Set(elements), ...rest };
}

/** Takes the first elements that have one of these names. */
export function take(left: Remainder, names: readonly XmlName[], most = Infinity): XmlElement[] {
  const found = named([...left.elements], names).slice(0, most);
  for (const part of found) left.elements.delete(part);
  return found;
}

/** The elements that have one of these names. */
export function named(elements: readonly XmlElement[], names: readonly XmlName[]): XmlElement[] {
  return elements.filter((part) => names.some((name) => isNamed(part.name, name)));
}

/** A name without a namespace means any: elements inherit the default namespace of those around them. */
export function isNamed(name: XmlName, wanted: XmlName): boolean {
  return name.local === wanted.local && (wanted.namespace === "" || name.namespace === wanted.namespace);
}

/** The text beside child elements, without the white space that only indents them. */
export function ownText(element: XmlElement, nodeType: "text" | "cdata"): string {
  const texts = textsOf(element);
  const sections = texts.filter(({ kind }) => kind === "cdata");
  if (nodeType === "cdata" && sections.length > 0) return sections.map(({ text }) => text).join("");
  if (texts.length === 1 && elementsOf(element).length === 0) return textOf(element);
  return texts.filter(({ text }) => text.trim() !== "").map(({ text }) => text).join("");
}

/** Whether a value is an array wherever it can be one. */
export function isList({ allowed }: SchemaTypes): boolean {
  return allowed.has("array");
}

/** Whether a value may be text, a number or a boolean. */
export function isScalar({ allowed }: SchemaTypes): boolean {
  return [...allowed].some((type) => !["array", "object", "null"].includes(type));
}

/** What the schema says of an array's items: of each that it describes by its position, and of all others. */
export function itemTypes(types: SchemaTypes): SchemaTypes[] {
  const positions = types.schemas.map((schema) => items(child(schema, "prefixItems")).length);
  return Array.from({ length: Math.max(0, ...positions) + 1 }, (_, index) => types.item(index));
}

/** Whether a schema requires a property. */
export function isRequired({ required }: SchemaTypes, name: string): boolean {
  return required.has(name);
}

/** The properties that a schema itself requires. */
export function requiredOf(schema: Node): string[] {
  return items(child(schema, "required")).flatMap(({ value }) => typeof value === "string" ? [value] : []);
}
