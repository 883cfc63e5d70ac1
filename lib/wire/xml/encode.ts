import type { MediaType } from "../../http/media_type.ts";
import type { Hints } from "../../schema/hints.ts";
import { targetOf } from "../../schema/in_place.ts";
import { isObject } from "../../schema/node.ts";
import type { Version } from "../../schema/dialect.ts";
import type { SchemaReference, XmlObject } from "../../schema/schema.ts";
import type { EncoderContext, Encoding } from "../body.ts";
import { type XmlElement, type XmlName, type XmlNode, XSI } from "./element.ts";
import { xmlAttributeNameOf, xmlNameOf, xmlObjectOf } from "./object.ts";
import { writeXml } from "./write.ts";

/** Name of the root element where the schema gives none. */
const ROOT = "doc";
/** Name of the elements for the items of an array that isn't the value of a property. */
const ITEM = "item";

const NIL: XmlName = { local: "nil", prefix: "xsi", namespace: XSI };

/** Writes a value as an XML document, as the XML Objects of its schema say. */
export function encodeXml(
  value: unknown,
  mediaType: MediaType,
  { document, hints }: Pick<EncoderContext, "document" | "hints">,
): Encoding {
  return { body: writeXml(toXml(value, document.version, hints), mediaType.parameters.get("charset")) };
}

/**
 * Turns a value into the root element of an XML document.
 *
 * The root is named by the schema's XML Object, in OpenAPI 3.2 also by its component; else it is `doc`. An object is one
 * element for each property; an array is one element for each item, named as the property, or `item` where there is
 * none; `null` is an empty element with `xsi:nil`.
 */
export function toXml(value: unknown, version: Version, hints: Hints): XmlElement {
  const name = xmlNameOf(xmlObjectOf(hints, value), componentName(hints, version) ?? ROOT);
  return element(name, value === null ? [nil()] : contentOf(undefined, value, hints, version));
}

/** The nodes that a property or an item becomes. */
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

/** The nodes within a value's element. If the value is an array, `field` names the elements of its items. */
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

/** The longest chain of references that is followed to a component. */
const MOST_HOPS = 100;

/**
 * The name of the component that a schema refers to. Since OpenAPI 3.2, an element without another name has this name.
 */
function componentName({ schemas: [first] }: Hints, version: Version): string | undefined {
  if (version !== "3.2") return undefined;
  for (let schema = first, hops = 0; schema !== undefined && hops < MOST_HOPS; hops++) {
    const [, name] = /^\/components\/schemas\/([^/]+)$/.exec(schema.node.pointer) ?? [];
    if (name !== undefined) return name.replaceAll("~1", "/").replaceAll("~0", "~");
    const [reference]: readonly SchemaReference[] = schema.references ?? [];
    schema = reference && targetOf(reference);
  }
  return undefined;
}

/**
 * The node type where the XML Object gives none. An array has no element around the elements of its items. But an array
 * within another array has one, so that a reader finds where it ends.
 */
function defaultNodeType(value: unknown, isItem: boolean): "element" | "none" {
  return Array.isArray(value) && !isItem ? "none" : "element";
}

/**
 * The name for the items of an array that has no element itself: the property's name. The name in the XML Object is
 * for an element of the array; it is used for the items only if the schema doesn't declare an array.
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
      // An element can't have two attributes of one name. If two properties give the same name, the first counts.
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
 * The text of an attribute. The items of an array are separated by spaces, as in a list of XML Schema (Part 2, section
 * 2.4.1.2).
 */
function attributeText(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(" ") : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
