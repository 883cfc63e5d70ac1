import type { MediaType } from "../../http/media_type.ts";
import type { Hints } from "../../schema/hints.ts";
import { referenceTarget } from "../../schema/in_place.ts";
import { isObject } from "../../schema/json/node.ts";
import type { Version } from "../../schema/dialect.ts";
import type { SchemaReference, XmlObject } from "../../schema/schema.ts";
import type { EncoderContext, Encoding } from "../body.ts";
import { type XmlElement, type XmlName, type XmlNode, XSI } from "./element.ts";
import { xmlAttributeNameOf, xmlNameOf, xmlObjectOf } from "./object.ts";
import { writeXml } from "./write.ts";
import { writeJson } from "../../schema/json/json.ts";

/** Name of the root element where the schema gives none. */
const ROOT = "doc";
/** Name of an item's element in an array that isn't the value of a property. */
const ITEM = "item";

const NIL: XmlName = { local: "nil", prefix: "xsi", namespace: XSI };

/** Encodes a value as an XML document, by the XML Objects of its schema. */
export function encodeXml(
  value: unknown,
  mediaType: MediaType,
  { document, hints }: Pick<EncoderContext, "document" | "hints">,
): Encoding {
  return { body: writeXml(toXml(value, document.version, hints), mediaType.parameters.get("charset")) };
}

/**
 * Converts a value to the root element of an XML document.
 *
 * The name of the root element comes from the XML Object of the schema; in OpenAPI 3.2 also from the name of its
 * component; else it is `doc`. An object has an element for each property. An array has an element for each item, with
 * the name of the property, or `item` without a property. `null` is an empty element with `xsi:nil`.
 */
export function toXml(value: unknown, version: Version, hints: Hints): XmlElement {
  const name = xmlNameOf(xmlObjectOf(hints, value), componentName(hints, version) ?? ROOT);
  return element(name, value === null ? [nil()] : contentOf(undefined, value, hints, version));
}

/** The XML nodes of a property's value, or of an item: none for an attribute that is `null`, several for an array. */
function nodesOf(field: string, value: unknown, hints: Hints, version: Version, isItem = false): XmlNode[] {
  if (value === undefined) return [];
  const xml = xmlObjectOf(hints, value);
  switch (xml.nodeType ?? defaultNodeType(value, isItem)) {
    case "attribute":
      return value === null ? [] : [attribute(xmlAttributeNameOf(xml, field), attributeText(value))];
    case "text":
      return value === null ? [] : [{ kind: "text", text: textOf(value) }];
    case "cdata":
      return value === null ? [] : [{ kind: "cdata", text: textOf(value) }];
    case "none":
      return contentOf(itemField(xml, field, hints), value, hints, version);
    case "element": {
      const name = xmlNameOf(xml, field);
      if (value === null) return [element(name, [nil()])];
      return [element(name, contentOf(isItem ? undefined : xml.name ?? field, value, hints, version))];
    }
  }
}

/** The nodes inside the element of a value. In an array, `field` is the name of each item's element. */
function contentOf(field: string | undefined, value: unknown, hints: Hints, version: Version): XmlNode[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const itemHints = hints.item(index);
      return nodesOf(field ?? componentName(itemHints, version) ?? ITEM, item, itemHints, version, true);
    });
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, part]) => nodesOf(name, part, hints.property(name), version));
  }
  return [{ kind: "text", text: textOf(value) }];
}

/** Limit of references that are followed to a component. */
const MOST_HOPS = 100;

/** The name of the component that a schema refers to. Since OpenAPI 3.2 it is the default name of the root element. */
function componentName({ schemas: [first] }: Hints, version: Version): string | undefined {
  if (version !== "3.2") return undefined;
  for (let schema = first, hops = 0; schema !== undefined && hops < MOST_HOPS; hops++) {
    const [, name] = /^\/components\/schemas\/([^/]+)$/.exec(schema.node.pointer) ?? [];
    if (name !== undefined) return name.replaceAll("~1", "/").replaceAll("~0", "~");
    const [reference]: readonly SchemaReference[] = schema.references ?? [];
    schema = reference && referenceTarget(reference);
  }
  return undefined;
}

/**
 * The default of `nodeType`. An array has no element around its items (`none`). Only an array within another array has
 * one, so that a reader finds where it ends.
 */
function defaultNodeType(value: unknown, isItem: boolean): "element" | "none" {
  return Array.isArray(value) && !isItem ? "none" : "element";
}

/**
 * The name of the elements for an array's items, if the array has no element of its own: the name of the property.
 * `name` in the XML Object is the name of the array's own element. Only if the schema doesn't allow an array, `name` is
 * used for the items.
 */
function itemField(xml: XmlObject, field: string, { types }: Hints): string {
  return types.size === 0 || types.has("array") ? field : xml.name ?? field;
}

function element(name: XmlName, content: readonly XmlNode[]): XmlElement {
  const attributes = new Map<string, XmlNode & { kind: "attribute" }>();
  const children: XmlElement["children"] = [];
  for (const node of content) {
    if (node.kind !== "attribute") children.push(node);
    else {
      // An element can't have two attributes with one name, so the first property with the name wins.
      const key = `${node.name.namespace || node.name.prefix} ${node.name.local}`;
      if (!attributes.has(key)) attributes.set(key, node);
    }
  }
  return { kind: "element", name, attributes: [...attributes.values()], children };
}

function attribute(name: XmlName, value: string): XmlNode {
  return { kind: "attribute", name, value };
}

function nil(): XmlNode {
  return attribute(NIL, "true");
}

/**
 * The text of an attribute. Items of an array are separated by spaces, as in an XML Schema list (Part 2, section
 * 2.4.1.2).
 */
function attributeText(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(" ") : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === "object" ? writeJson(value) : String(value);
}
