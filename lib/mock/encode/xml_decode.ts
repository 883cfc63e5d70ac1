import type { MediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import { child, items, type Node } from "../../openapi/node.ts";
import type { SchemaTypes } from "../request/schema_types.ts";
import { toValue } from "../request/text.ts";
import type { DecodedBody, DecoderContext } from "./body.ts";
import { decodeText, latin1Text } from "./charset.ts";
import { isText } from "./text.ts";
import {
  elementsOf,
  isNil,
  ownAttributes,
  textOf,
  textsOf,
  type XmlAttribute,
  type XmlElement,
  type XmlName,
} from "./xml_element.ts";
import { unescapeName } from "./xml_name.ts";
import { readXml } from "./xml_read.ts";
import { xmlAttributeNameOf, xmlNameOf, xmlNamesOf, type XmlNodeType, xmlObjectOf } from "./xml_object.ts";

/**
 * Reads an XML document as the value that its schema describes. A root that the schema gives a name must have it.
 */
export function decodeXml(bytes: Uint8Array, mediaType: MediaType, { document, types }: DecoderContext): DecodedBody {
  const charset = mediaType.parameters.get("charset") ?? declaredCharset(bytes);
  const text = decodeText(bytes, charset);
  if (text === undefined) return { kind: "malformed", message: `is not XML: it is not ${charset ?? "UTF-8"}` };
  const reading = readXml(text);
  if (reading.kind === "malformed") return reading;
  const { root } = reading;
  const xml = xmlObjectOf(document, types);
  const names = new Set(xmlNamesOf(types).map((name) => xmlNameOf({ ...xml, name }, "").local));
  if (xml.name !== undefined && !names.has(root.name.local)) {
    return {
      kind: "malformed",
      message: `has the root element <${root.name.local}>, but its schema wants <${xml.name}>`,
    };
  }
  // Many definitions describe any document as a string.
  if (isText(types) && elementsOf(root).length > 0) return { kind: "value", value: text };
  return { kind: "value", value: fromXml(root, document, types) };
}

/** The encoding that an XML declaration names (XML 1.0, section 4.3.3), or a byte order mark means. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(latin1Text(bytes.subarray(0, 200)))?.[1];
}

/** What is left of an element while its properties are read one after the other. */
interface Remainder {
  attributes: Set<XmlAttribute>;
  elements: Set<XmlElement>;
  /** Whether the text was taken. */
  text: boolean;
  /** How many objects without an element of their own were read. */
  parts: number;
}

/** A schema may describe such objects without end. */
const MOST_PARTS = 200;

/**
 * Reads an element as the value that its schema describes: the inverse of `toXml`.
 *
 * Where a schema leaves the type open, an element with elements or attributes is an object and any other a string.
 * Attributes and elements that the schema doesn't know become properties all the same, for it to judge. No element at
 * all is an empty array only if the property is required.
 */
export function fromXml(root: XmlElement, document: Document, types: SchemaTypes): unknown {
  const rivalsByOwner = new WeakMap<SchemaTypes, ReadonlyMap<string, readonly string[]>>();
  return valueOf(root, types);

  function valueOf(element: XmlElement, types: SchemaTypes): unknown {
    if (isNil(element)) return null;
    const { allowed } = types;
    if (elementsOf(element).length > 0 || ownAttributes(element.attributes).length > 0) {
      const isArray = allowed.has("array") && !(allowed.has("object") && hasProperties(element, types));
      return isArray ? arrayOf(element, types) : objectOf(element, types);
    }
    const text = textOf(element);
    const isBlank = text.trim() === "";
    if (allowed.size === 0 || isScalar(types)) return scalarOf(text, types);
    if (isBlank && allowed.has("null") && !allowed.has("object")) return null;
    // Text where there should be elements is left for the schema to refuse.
    if (!isBlank && !hasText(types)) return text;
    return allowed.has("array") && !allowed.has("object") ? arrayOf(element, types) : objectOf(element, types);
  }

  function arrayOf(element: XmlElement, types: SchemaTypes): unknown[] {
    const parts = element.children.filter((part) => part.kind === "element" || part.text.trim() !== "");
    return parts.map((part, index) => {
      const itemTypes = types.item(index);
      return part.kind === "element" ? valueOf(part, itemTypes) : scalarOf(part.text, itemTypes);
    });
  }

  function objectOf(element: XmlElement, types: SchemaTypes): Record<string, unknown> {
    const left: Remainder = {
      attributes: new Set(element.attributes),
      elements: new Set(elementsOf(element)),
      text: false,
      parts: 0,
    };
    const members = propertiesOf(element, types, left);
    const names = new Set(members.map(([name]) => name));
    for (const [name, parts] of Map.groupBy([...left.elements], (part) => unescapeName(part.name.local))) {
      if (names.has(name)) continue;
      const partTypes = types.property(name);
      const values = isList(partTypes) || parts.length > 1
        ? parts.map((part, index) => valueOf(part, partTypes.item(index)))
        : parts.map((part) => valueOf(part, partTypes));
      names.add(name);
      members.push([name, isList(partTypes) || values.length > 1 ? values : values[0]]);
    }
    for (const { name, value } of ownAttributes([...left.attributes])) {
      const key = unescapeName(name.local);
      if (!names.has(key)) members.push([key, scalarOf(value, types.property(key))]);
    }
    // `Object.fromEntries` makes own properties of all names, `__proto__` among them.
    return Object.fromEntries(members);
  }

  /** The properties that the schema describes. */
  function propertiesOf(element: XmlElement, types: SchemaTypes, left: Remainder): [string, unknown][] {
    return [...types.propertyNames].flatMap((name): [string, unknown][] => {
      const value = propertyOf(element, name, types, left);
      return value === undefined ? [] : [[name, value]];
    });
  }

  function propertyOf(element: XmlElement, name: string, owner: SchemaTypes, left: Remainder): unknown {
    const types = owner.property(name);
    const xml = xmlObjectOf(document, types);
    const nodeType = nodeTypeOf(types);
    switch (nodeType) {
      case "attribute": {
        const found = [...left.attributes].find((attribute) => isNamed(attribute.name, xmlAttributeNameOf(xml, name)));
        if (found === undefined) return types.allowed.has("null") ? null : undefined;
        left.attributes.delete(found);
        return attributeValue(found.value, types);
      }
      case "cdata":
      case "text": {
        const text = ownText(element, nodeType);
        if (left.text || text === "" && !isRequired(owner, name)) return undefined;
        left.text = true;
        return scalarOf(text, types);
      }
      case "none":
        if (types.allowed.has("array")) return listOf(element, name, owner, left);
        if (types.allowed.has("object")) return partOf(element, name, owner, left);
        return left.text ? undefined : scalarOf(textOf(element), types);
      case "element": {
        const found = takeFor(name, owner, left);
        const [only] = found;
        if (found.length < 2) return only && valueOf(only, types);
        // The schema knows one, so it will say what is wrong with more.
        return found.map((part) => valueOf(part, types));
      }
    }
  }

  /**
   * Takes the elements that are a property's. Of properties whose elements have the same name, as those that refer to
   * one schema with a name, each takes the next, and an optional one none that a required one needs.
   */
  function takeFor(name: string, owner: SchemaTypes, left: Remainder): XmlElement[] {
    const names = namesOf(owner.property(name), name);
    const rivals = rivalsIn(owner).get(name) ?? [];
    if (rivals.length === 0) return take(left, names);
    const count = named([...left.elements], names).length;
    const needed = rivals.filter((rival) => isRequired(owner, rival)).length;
    return !isRequired(owner, name) && count <= needed ? [] : take(left, names, 1);
  }

  /** For each property that is an element, those after it whose elements have the same name. */
  function rivalsIn(owner: SchemaTypes): ReadonlyMap<string, readonly string[]> {
    const known = rivalsByOwner.get(owner);
    if (known !== undefined) return known;
    const elements = [...owner.propertyNames].filter((name) => nodeTypeOf(owner.property(name)) === "element");
    const byName = Map.groupBy(elements, (name) => xmlNameOf(xmlObjectOf(document, owner.property(name)), name).local);
    const rivals = new Map(
      [...byName.values()].flatMap((alike) =>
        alike.map((name, index): [string, readonly string[]] => [name, alike.slice(index + 1)])
      ),
    );
    rivalsByOwner.set(owner, rivals);
    return rivals;
  }

  function nodeTypeOf(types: SchemaTypes): XmlNodeType {
    return xmlObjectOf(document, types).nodeType ?? (isList(types) ? "none" : "element");
  }

  /** An array without an element of its own, unless it is `null`; a lone scalar where the schema allows that too. */
  function listOf(element: XmlElement, name: string, owner: SchemaTypes, left: Remainder): unknown {
    const types = owner.property(name);
    if (types.allowed.has("null") && !types.item(0).allowed.has("null")) {
      const nil = named([...left.elements], namesOf(types, name)).find(isNil);
      if (nil !== undefined) {
        left.elements.delete(nil);
        return null;
      }
    }
    const found = take(left, itemTypes(types).flatMap((item) => namesOf(item, name)));
    const [only] = found;
    if (only === undefined && !isNeeded(element, name, owner)) return undefined;
    if (only !== undefined && found.length === 1 && isScalar(types)) return valueOf(only, types);
    return found.map((part, index) => valueOf(part, types.item(index)));
  }

  /** Whether a schema requires a property, and isn't a branch that is not meant: one that requires what isn't there. */
  function isNeeded(element: XmlElement, name: string, owner: SchemaTypes): boolean {
    return owner.schemas.map(requiredOf).some((required) =>
      required.includes(name) && required.every((other) => other === name || !isMissing(element, other, owner))
    );
  }

  function isMissing(element: XmlElement, name: string, owner: SchemaTypes): boolean {
    const types = owner.property(name);
    return nodeTypeOf(types) === "element" && named(elementsOf(element), namesOf(types, name)).length === 0;
  }

  /** An object without an element of its own: its properties stand among those of the object around it. */
  function partOf(element: XmlElement, name: string, owner: SchemaTypes, left: Remainder): unknown {
    if (left.parts === MOST_PARTS) return undefined;
    left.parts++;
    const members = propertiesOf(element, owner.property(name), left);
    return members.length === 0 && !isRequired(owner, name) ? undefined : Object.fromEntries(members);
  }

  /** Whether a property or an item is the element's own text. */
  function hasText(types: SchemaTypes): boolean {
    const parts = [...types.propertyNames].map((name) => types.property(name));
    return [...parts, ...itemTypes(types)].some((part) => {
      const { nodeType = "element" } = xmlObjectOf(document, part);
      return nodeType !== "element" && nodeType !== "attribute";
    });
  }

  /** The name of a value's element, and those that branches of its schema give it. */
  function namesOf(types: SchemaTypes, field: string): XmlName[] {
    const xml = xmlObjectOf(document, types);
    return [xmlNameOf(xml, field), ...xmlNamesOf(types).map((name) => xmlNameOf({ ...xml, name }, field))];
  }

  function hasProperties(element: XmlElement, types: SchemaTypes): boolean {
    return elementsOf(element).some(({ name }) => types.propertyNames.has(unescapeName(name.local)));
  }
}

/** Takes the first elements that have one of these names. */
function take(left: Remainder, names: readonly XmlName[], most = Infinity): XmlElement[] {
  const found = named([...left.elements], names).slice(0, most);
  for (const part of found) left.elements.delete(part);
  return found;
}

function named(elements: readonly XmlElement[], names: readonly XmlName[]): XmlElement[] {
  return elements.filter((part) => names.some((name) => isNamed(part.name, name)));
}

/** What the schema says of an array's items: of each that it describes by its position, and of all others. */
function itemTypes(types: SchemaTypes): SchemaTypes[] {
  const positions = types.schemas.map((schema) => items(child(schema, "prefixItems")).length);
  return Array.from({ length: Math.max(0, ...positions) + 1 }, (_, index) => types.item(index));
}

/** A name without a namespace means any: elements inherit the default namespace of those around them. */
function isNamed(name: XmlName, wanted: XmlName): boolean {
  return name.local === wanted.local && (wanted.namespace === "" || name.namespace === wanted.namespace);
}

/** Whether a value is an array wherever it can be one. */
function isList({ allowed }: SchemaTypes): boolean {
  return allowed.has("array");
}

/** Whether a value may be text, a number or a boolean. */
function isScalar({ allowed }: SchemaTypes): boolean {
  return [...allowed].some((type) => !["array", "object", "null"].includes(type));
}

function isRequired({ schemas }: SchemaTypes, name: string): boolean {
  return schemas.some((schema) => requiredOf(schema).includes(name));
}

function requiredOf(schema: Node): string[] {
  return items(child(schema, "required")).flatMap(({ value }) => typeof value === "string" ? [value] : []);
}

/** The text beside child elements, without the white space that only indents them. */
function ownText(element: XmlElement, nodeType: "text" | "cdata"): string {
  const texts = textsOf(element);
  const sections = texts.filter(({ kind }) => kind === "cdata");
  if (nodeType === "cdata" && sections.length > 0) return sections.map(({ text }) => text).join("");
  if (texts.length === 1 && elementsOf(element).length === 0) return textOf(element);
  return texts.filter(({ text }) => text.trim() !== "").map(({ text }) => text).join("");
}

function attributeValue(text: string, types: SchemaTypes): unknown {
  if (!types.allowed.has("array")) return scalarOf(text, types);
  const pieces = text.trim() === "" ? [] : text.trim().split(/\s+/);
  return toValue(pieces, types);
}

/** White space around anything but a string means nothing (XML Schema Part 2, section 4.3.6). */
function scalarOf(text: string, types: SchemaTypes): unknown {
  const isText = types.allowed.size === 0 || types.allowed.has("string");
  return toValue(isText ? text : text.trim(), types);
}
