import type { MediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import { isObject } from "../../schema/node.ts";
import { followOnce, referenceOf } from "../../schema/reference.ts";
import { type SchemaTypes, schemaTypes } from "../schema_types.ts";
import type { BodyContext, Encoding } from "../body.ts";
import { type XmlElement, type XmlName, type XmlNode, XSI } from "./element.ts";
import { xmlAttributeNameOf, xmlNameOf, type XmlObject, xmlObjectOf } from "./object.ts";
import { writeXml } from "./write.ts";

/** The root of a document whose schema gives it no name. */
const ROOT = "doc";
/** The items of an array that is no property's value. */
const ITEM = "item";

const NIL: XmlName = { local: "nil", prefix: "xsi", namespace: XSI };

/** Writes a value as an XML document, as the XML Objects of its schema say. */
export function encodeXml(value: unknown, mediaType: MediaType, { document, schema }: BodyContext): Encoding {
  const root = toXml(value, document, schemaTypes(document, schema));
  return { body: writeXml(root, mediaType.parameters.get("charset")) };
}

/**
 * Turns a value into the root element of an XML document.
 *
 * The root is named by the schema's XML Object, in OpenAPI 3.2 also by its component; else it is `doc`. An object is one
 * element for each property; an array is one element for each item, named as the property, or `item` where there is
 * none; `null` is an empty element with `xsi:nil`.
 */
export function toXml(value: unknown, document: Document, types: SchemaTypes): XmlElement {
  const xml = xmlObjectOf(document, types, value);
  const content = value === null ? [nil()] : contentOf(undefined, value, types);
  return element(xmlNameOf(xml, componentName(types) ?? ROOT), content);

  /** The nodes that a property or an item becomes. */
  function nodesOf(field: string, value: unknown, types: SchemaTypes, isItem = false): XmlNode[] {
    if (value === undefined) return [];
    const xml = xmlObjectOf(document, types, value);
    switch (xml.nodeType ?? defaultNodeType(value, isItem)) {
      case "attribute":
        return value === null ? [] : [attribute(xmlAttributeNameOf(xml, field), attributeText(value))];
      case "text":
        return value === null ? [] : [{ kind: "text", text: textOf(value) }];
      case "cdata":
        return value === null ? [] : [{ kind: "cdata", text: textOf(value) }];
      case "none":
        return contentOf(itemField(xml, field, types), value, types);
      case "element": {
        const name = xmlNameOf(xml, field);
        if (value === null) return [element(name, [nil()])];
        return [element(name, contentOf(isItem ? undefined : xml.name ?? field, value, types))];
      }
    }
  }

  /** The nodes within a value's element; `field` is the property that an array is the value of. */
  function contentOf(field: string | undefined, value: unknown, types: SchemaTypes): XmlNode[] {
    if (value === null || value === undefined) return [];
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const itemTypes = types.item(index);
        return nodesOf(field ?? componentName(itemTypes) ?? ITEM, item, itemTypes, true);
      });
    }
    if (isObject(value)) {
      return Object.entries(value).flatMap(([name, part]) => nodesOf(name, part, types.property(name)));
    }
    return [{ kind: "text", text: textOf(value) }];
  }

  /** The name of the component that a schema refers to, which names elements since OpenAPI 3.2. */
  function componentName({ schemas: [schema] }: SchemaTypes): string | undefined {
    if (document.version !== "3.2") return undefined;
    for (let node = schema, hops = 0; node !== undefined && hops < 100; hops++) {
      const [, name] = /^\/components\/schemas\/([^/]+)$/.exec(node.pointer) ?? [];
      if (name !== undefined) return name.replaceAll("~1", "/").replaceAll("~0", "~");
      if (referenceOf(node) === undefined) return undefined;
      node = followOnce(document, node);
    }
    return undefined;
  }
}

/**
 * An array is the elements of its items, without one of its own. Within another array it has one, since nobody could
 * tell otherwise where one ends and the next begins.
 */
function defaultNodeType(value: unknown, isItem: boolean): "element" | "none" {
  return Array.isArray(value) && !isItem ? "none" : "element";
}

/** The name of an array's items where the array has no element: its own name counts only if it isn't declared as one. */
function itemField(xml: XmlObject, field: string, types: SchemaTypes): string {
  return types.allowed.size === 0 || types.allowed.has("array") ? field : xml.name ?? field;
}

function element(name: XmlName, content: readonly XmlNode[]): XmlElement {
  const attributes = new Map<string, XmlNode & { kind: "attribute" }>();
  const children: XmlElement["children"] = [];
  for (const node of content) {
    if (node.kind !== "attribute") children.push(node);
    else {
      // An element has an attribute once; two properties may have been given the same name.
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

/** A list of XML Schema is separated by spaces (Part 2, section 2.4.1.2). */
function attributeText(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(" ") : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
