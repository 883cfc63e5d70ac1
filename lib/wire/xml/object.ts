import type { Document } from "../../openapi/document.ts";
import { child, isObject, items, type Node } from "../../schema/node.ts";
import { followOnce, referenceOf } from "../../schema/reference.ts";
import type { SchemaTypes } from "../schema_types.ts";
import { escapeName } from "./name.ts";
import { type XmlName, XMLNS } from "./element.ts";

/** What a schema becomes in XML (OpenAPI 3.2, XML Node Types). */
export type XmlNodeType = "element" | "attribute" | "text" | "cdata" | "none";

/**
 * What a schema says of its XML, gathered from it, what it refers to and all that it is combined of.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#xml-object OpenAPI 3.1, XML Object}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#xml-object OpenAPI 3.2, XML Object}
 */
export interface XmlObject {
  /** As given, or as `attribute` and `wrapped` mean it. */
  nodeType?: XmlNodeType;
  name?: string;
  prefix?: string;
  namespace?: string;
}

const NODE_TYPES: readonly string[] = ["element", "attribute", "text", "cdata", "none"];

/**
 * Reads what the schemas of a value say of its XML; of two that say the same thing the nearer one counts.
 *
 * @param value The value, which tells the branch of a `oneOf` or `anyOf` where only branches give a name.
 */
export function xmlObjectOf(document: Document, types: SchemaTypes, value?: unknown): XmlObject {
  const xml: XmlObject = {};
  const nearest = types.schemas.find((schema) => allows(schema, value)) ?? types.schemas[0];
  if (nearest === undefined) return xml;
  const certain = withParts(document, nearest);
  for (const schema of certain) addXml(document, schema, xml);
  if (xml.name === undefined) {
    const rest = types.schemas.filter((schema) =>
      allows(schema, value) && !certain.some((other) => other.value === schema.value)
    );
    for (const schema of byFit(document, rest, value)) addXml(document, schema, xml);
  }
  return xml;
}

/** All names that the schemas of a value give it. */
export function xmlNamesOf(types: SchemaTypes): string[] {
  return types.schemas.flatMap((schema) => {
    const name = child(child(schema, "xml"), "name").value;
    return typeof name === "string" ? [name] : [];
  });
}

/** The name of a value's element, and those that branches of its schema give it. */
export type ElementNames = (types: SchemaTypes, field: string) => readonly XmlName[];

/** Makes what finds the names of elements; it remembers them. */
export function createElementNames(document: Document): ElementNames {
  const known = new WeakMap<SchemaTypes, Map<string, readonly XmlName[]>>();
  return (types, field) => {
    const byField = known.get(types) ?? new Map<string, readonly XmlName[]>();
    known.set(types, byField);
    const names = byField.get(field) ?? namesOf(types, field);
    byField.set(field, names);
    return names;
  };

  function namesOf(types: SchemaTypes, field: string): XmlName[] {
    const xml = xmlObjectOf(document, types);
    return [xmlNameOf(xml, field), ...xmlNamesOf(types).map((name) => xmlNameOf({ ...xml, name }, field))];
  }
}

/** The name of an element: that of the XML Object, else `field`. */
export function xmlNameOf(xml: XmlObject, field: string): XmlName {
  const { name, prefix = "", namespace = "" } = xml;
  if (name === undefined) return { local: escapeName(field), prefix: escapePrefix(prefix), namespace };
  const colon = prefix === "" ? name.indexOf(":") : -1;
  return {
    local: escapeName(name.slice(colon + 1)),
    prefix: escapePrefix(colon > 0 ? name.slice(0, colon) : prefix),
    namespace,
  };
}

/**
 * The name of an attribute. A property such as `xml:lang` has its prefix in its name, one such as `xmlns:a` declares a
 * prefix. An attribute without a prefix has no namespace.
 */
export function xmlAttributeNameOf(xml: XmlObject, field: string): XmlName {
  const { local, prefix, namespace } = xmlNameOf({ ...xml, name: xml.name ?? field }, field);
  if (prefix === "xmlns" || prefix === "" && local === "xmlns") return { local, prefix, namespace: XMLNS };
  return { local, prefix, namespace: prefix === "" ? "" : namespace };
}

function escapePrefix(prefix: string): string {
  return prefix === "" ? "" : escapeName(prefix);
}

function addXml(document: Document, schema: Node, xml: XmlObject): void {
  const written = child(schema, "xml").value;
  if (!isObject(written)) return;
  const nodeType = readNodeType(written);
  // In OpenAPI 3.2 a schema with `$ref` is no node itself, unless it says so.
  if (document.version === "3.2" && referenceOf(schema) !== undefined && nodeType === undefined) return;
  if (nodeType !== undefined) xml.nodeType ??= nodeType;
  for (const key of ["name", "prefix", "namespace"] as const) {
    const text = written[key];
    if (typeof text === "string" && text !== "") xml[key] ??= text;
  }
}

function readNodeType(written: Record<string, unknown>): XmlNodeType | undefined {
  const nodeType = written["nodeType"];
  if (isNodeType(nodeType)) return nodeType;
  if (written["attribute"] === true) return "attribute";
  return written["wrapped"] === true ? "element" : undefined;
}

function isNodeType(value: unknown): value is XmlNodeType {
  return typeof value === "string" && NODE_TYPES.includes(value);
}

/** A schema, what it refers to and its `allOf`, all of which apply to any value. */
function withParts(document: Document, schema: Node): Node[] {
  const parts: Node[] = [];
  const collect = (part: Node): void => {
    if (!isObject(part.value) || parts.some(({ value }) => value === part.value)) return;
    parts.push(part);
    if (referenceOf(part) !== undefined) collect(followOnce(document, part));
    items(child(part, "allOf")).forEach(collect);
  };
  collect(schema);
  return parts;
}

/** Whether a schema, by its type, may be about a value. */
function allows(schema: Node, value: unknown): boolean {
  const types = [child(schema, "type").value].flat();
  if (value === undefined || value === null || types[0] === undefined) return true;
  if (typeof value === "number") return types.includes("number") || types.includes("integer");
  return types.includes(Array.isArray(value) ? "array" : typeof value);
}

/** The schemas that give a name, those that describe most of a value's properties first. */
function byFit(document: Document, schemas: readonly Node[], value: unknown): Node[] {
  const keys = isObject(value) ? Object.keys(value) : [];
  const fitOf = (schema: Node): number => {
    const parts = withParts(document, schema).map((part) => child(part, "properties").value).filter(isObject);
    return keys.filter((key) => parts.some((properties) => Object.hasOwn(properties, key))).length;
  };
  return schemas
    .filter((schema) => child(schema, "xml").value !== undefined)
    .map((schema) => ({ schema, fit: fitOf(schema) }))
    .sort((a, b) => b.fit - a.fit)
    .map(({ schema }) => schema);
}
