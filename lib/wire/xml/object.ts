/**
 * Finds the kind and the name of the XML node (element, attribute, text) of each value, from the XML Objects of its
 * schema.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#xml-object OpenAPI 3.1, XML Object}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#xml-object OpenAPI 3.2, XML Object}
 */
import type { Hints } from "../../schema/hints.ts";
import { targetOf } from "../../schema/in_place.ts";
import { isObject } from "../../schema/node.ts";
import type { Schema, XmlNodeType, XmlObject } from "../../schema/schema.ts";
import { isOfType } from "../../schema/value.ts";
import { elementsOf, escapeName, named, type XmlElement, type XmlName, XMLNS } from "./element.ts";

/**
 * The XML Object of a value, merged from its schema and those that it applies with `$ref`, `allOf`, `oneOf` and so on.
 * Each field is that of the nearest schema that has it.
 *
 * @param value The value, which selects the branch of a `oneOf` or `anyOf` where only branches give a name.
 */
export function xmlObjectOf({ schemas }: Hints, value?: unknown): XmlObject {
  const nearest = schemas.find((schema) => allows(schema, value)) ?? schemas[0];
  if (nearest === undefined) return {};
  const certain = withParts(nearest);
  const xml = mergeXml({}, certain);
  if (xml.name !== undefined) return xml;
  const rest = schemas.filter((schema) => allows(schema, value) && !certain.has(schema));
  return mergeXml(xml, byFit(rest, value));
}

/** All names that the schemas of a value give it. */
export function xmlNamesOf({ schemas }: Hints): string[] {
  return schemas.flatMap(({ xml }) => xml?.name ?? []);
}

/** Finds the names of values' elements: the name itself, and the names that branches of the schema give. */
export class ElementNames {
  readonly #known = new WeakMap<Hints, Map<string, readonly XmlName[]>>();

  of(hints: Hints, field: string): readonly XmlName[] {
    let byField = this.#known.get(hints);
    if (byField === undefined) this.#known.set(hints, byField = new Map());
    let names = byField.get(field);
    if (names === undefined) byField.set(field, names = findNames(hints, field));
    return names;
  }
}

function findNames(hints: Hints, field: string): XmlName[] {
  const xml = xmlObjectOf(hints);
  return [xmlNameOf(xml, field), ...xmlNamesOf(hints).map((name) => xmlNameOf({ ...xml, name }, field))];
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

/** Adds the fields of schemas that an XML Object lacks. */
function mergeXml(xml: XmlObject, schemas: Iterable<Schema>): XmlObject {
  let merged = xml;
  for (const { xml: further } of schemas) if (further !== undefined) merged = { ...further, ...merged };
  return merged;
}

/** A schema, the schemas that it refers to and its `allOf`, all of which apply to any value. */
function withParts(schema: Schema): ReadonlySet<Schema> {
  const parts = new Set<Schema>();
  const collect = (part: Schema): void => {
    if (!isObject(part.node.value) || parts.has(part)) return;
    parts.add(part);
    partsOf(part).forEach(collect);
  };
  collect(schema);
  return parts;
}

function partsOf({ references = [], allOf = [] }: Schema): Schema[] {
  return [...references.flatMap((reference) => targetOf(reference) ?? []), ...allOf];
}

/** Whether the type of a schema allows a value. */
function allows({ types }: Schema, value: unknown): boolean {
  if (value === undefined || value === null || types === undefined) return true;
  return types.some((type) => isOfType(value, type)) || typeof value === "number" && types.includes("integer");
}

/** The schemas that give a name; those that describe most of a value's properties first. */
function byFit(schemas: readonly Schema[], value: unknown): Schema[] {
  const keys = isObject(value) ? Object.keys(value) : [];
  const fitOf = (schema: Schema): number => {
    const parts = [...withParts(schema)];
    return keys.filter((key) => parts.some(({ properties }) => properties?.has(key))).length;
  };
  return schemas
    .filter(({ xml }) => xml !== undefined)
    .map((schema) => ({ schema, fit: fitOf(schema) }))
    .sort((a, b) => b.fit - a.fit)
    .map(({ schema }) => schema);
}

/** Finds the nodes of an element that belong to each property of its schema. */
export class PropertyNodes {
  readonly #names: ElementNames;
  readonly #rivals = new WeakMap<Hints, ReadonlyMap<string, readonly string[]>>();

  constructor(names: ElementNames) {
    this.#names = names;
  }

  /**
   * Whether a schema requires a property. A branch that also requires a missing element isn't the one meant, and is
   * ignored.
   */
  isNeeded(element: XmlElement, name: string, owner: Hints): boolean {
    return owner.schemas.some(({ required = [] }) =>
      required.includes(name) && required.every((other) => other === name || !this.#isMissing(element, other, owner))
    );
  }

  #isMissing(element: XmlElement, name: string, owner: Hints): boolean {
    const hints = owner.property(name);
    return nodeTypeOf(hints) === "element" && named(elementsOf(element), this.#names.of(hints, name)).length === 0;
  }

  /** The later properties whose elements have the same name as those of a property. */
  rivalsOf(owner: Hints, name: string): readonly string[] {
    let rivals = this.#rivals.get(owner);
    if (rivals === undefined) this.#rivals.set(owner, rivals = this.#findRivals(owner));
    return rivals.get(name) ?? [];
  }

  /** For each property that is an element or a list of elements, the later properties with the same element name. */
  #findRivals(owner: Hints): ReadonlyMap<string, readonly string[]> {
    const properties = [...owner.propertyNames].flatMap((name) => {
      const hints = owner.property(name);
      const nodeType = nodeTypeOf(hints);
      if (nodeType !== "element" && !(nodeType === "none" && isList(hints))) return [];
      return [{ name, element: this.#names.of(nodeType === "element" ? hints : hints.item(0), name)[0]?.local }];
    });
    const alike = [...Map.groupBy(properties, ({ element }) => element).values()];
    return new Map(
      alike.flatMap((group) =>
        group.map(({ name }, index): [string, string[]] => [name, group.slice(index + 1).map(({ name }) => name)])
      ),
    );
  }
}

/** The node that a property or an item is. */
export function nodeTypeOf(hints: Hints): XmlNodeType {
  return xmlObjectOf(hints).nodeType ?? (isList(hints) ? "none" : "element");
}

/** Whether a property or an item is the element's own text. */
export function hasText(hints: Hints): boolean {
  const parts = [...hints.propertyNames].map((name) => hints.property(name));
  return [...parts, ...itemHints(hints)].some((part) => {
    const { nodeType = "element" } = xmlObjectOf(part);
    return nodeType !== "element" && nodeType !== "attribute";
  });
}

/** Whether a value is an array wherever it can be one. */
export function isList({ types }: Hints): boolean {
  return types.has("array");
}

/** Whether a value may be text, a number or a boolean. */
export function isScalar({ types }: Hints): boolean {
  return [...types].some((type) => !["array", "object", "null"].includes(type));
}

/** The hints about an array's items: about each that is described by its position, and about all others. */
export function itemHints(hints: Hints): Hints[] {
  return Array.from({ length: hints.positions + 1 }, (_, index) => hints.item(index));
}
