/**
 * Finds the node type (element, attribute, text) and the name for each value in an XML document, from the XML Objects
 * of its schema.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#xml-object OpenAPI 3.1, XML Object}
 * @see {@link https://spec.openapis.org/oas/v3.2.0.html#xml-object OpenAPI 3.2, XML Object}
 */
import type { Hints } from "../../schema/hints.ts";
import { referenceTarget } from "../../schema/in_place.ts";
import { isObject } from "../../schema/json/node.ts";
import type { Schema, XmlNodeType, XmlObject } from "../../schema/schema.ts";
import { isNumber, isOfType } from "../../schema/json/value.ts";
import { elementsOf, escapeName, named, type XmlElement, type XmlName, XMLNS } from "./element.ts";

/**
 * The XML Object of a value, merged from its schema and the schemas under `$ref`, `allOf`, `oneOf` and so on. Each
 * field comes from the outermost schema that has it.
 *
 * @param value The value. Where only branches of a `oneOf` or `anyOf` give a name, the branch with most properties of
 * the value decides.
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

/** All names in the XML Objects of a value's schemas. */
export function xmlNamesOf({ schemas }: Hints): string[] {
  return schemas.flatMap(({ xml }) => xml?.name ?? []);
}

/**
 * Finds the names that the element of a value may have: the name in the merged XML Object, and the names in branches.
 */
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

/** The name of an element: from the XML Object, else `field`. */
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
 * The name of an attribute. The name of a property may contain a prefix, as in `xml:lang`. Without a prefix an
 * attribute has no namespace. An attribute such as `xmlns:a` declares a prefix.
 */
export function xmlAttributeNameOf(xml: XmlObject, field: string): XmlName {
  const { local, prefix, namespace } = xmlNameOf({ ...xml, name: xml.name ?? field }, field);
  if (prefix === "xmlns" || prefix === "" && local === "xmlns") return { local, prefix, namespace: XMLNS };
  return { local, prefix, namespace: prefix === "" ? "" : namespace };
}

function escapePrefix(prefix: string): string {
  return prefix === "" ? "" : escapeName(prefix);
}

function mergeXml(xml: XmlObject, schemas: Iterable<Schema>): XmlObject {
  let merged = xml;
  for (const { xml: further } of schemas) if (further !== undefined) merged = { ...further, ...merged };
  return merged;
}

/**
 * A schema with the schemas under its `$ref` and `allOf`, which apply to every value. Branches of `oneOf` and `anyOf`
 * aren't included, since they may not apply.
 */
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
  return [...references.flatMap((reference) => referenceTarget(reference) ?? []), ...allOf];
}

function allows({ types }: Schema, value: unknown): boolean {
  if (value === undefined || value === null || types === undefined) return true;
  return types.some((type) => isOfType(value, type)) || isNumber(value) && types.includes("integer");
}

/** Sorts the schemas that have an XML Object: first those that describe most of the value's properties. */
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

/** Finds out which nodes of an element belong to which property of its schema. */
export class PropertyNodes {
  readonly #names: ElementNames;
  readonly #namesakes = new WeakMap<Hints, ReadonlyMap<string, readonly string[]>>();

  constructor(names: ElementNames) {
    this.#names = names;
  }

  /**
   * Whether a missing element means an empty array, because a schema of the enclosing element requires the property. A
   * schema that requires another missing element too is ignored: the enclosing element must then follow another branch.
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

  /**
   * The properties after a given one, in the order of the schema, whose elements have the same name as its elements.
   */
  namesakesOf(owner: Hints, name: string): readonly string[] {
    let namesakes = this.#namesakes.get(owner);
    if (namesakes === undefined) this.#namesakes.set(owner, namesakes = this.#findNamesakes(owner));
    return namesakes.get(name) ?? [];
  }

  #findNamesakes(owner: Hints): ReadonlyMap<string, readonly string[]> {
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

export function nodeTypeOf(hints: Hints): XmlNodeType {
  return xmlObjectOf(hints).nodeType ?? (isList(hints) ? "none" : "element");
}

/** Whether a property or an item has a `nodeType` by which it is text directly in the element. */
export function hasText(hints: Hints): boolean {
  const parts = [...hints.propertyNames].map((name) => hints.property(name));
  return [...parts, ...itemHints(hints)].some((part) => {
    const { nodeType = "element" } = xmlObjectOf(part);
    return nodeType !== "element" && nodeType !== "attribute";
  });
}

/** Whether a schema allows an array. If it allows other types too, an array is preferred. */
export function isList({ types }: Hints): boolean {
  return types.has("array");
}

export function isXmlScalar({ types }: Hints): boolean {
  return [...types].some((type) => !["array", "object", "null"].includes(type));
}

/** The hints for the items of an array: for each position under `prefixItems`, and for all further items. */
export function itemHints(hints: Hints): Hints[] {
  return Array.from({ length: hints.positions + 1 }, (_, index) => hints.item(index));
}
