/**
 * Which nodes of an element the properties of its schema are.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { child } from "../../schema/node.ts";
import type { Direction } from "../../schema/schema.ts";
import type { SchemaTypes } from "../schema_types.ts";
import { elementsOf, type XmlElement } from "./element.ts";
import { type ElementNames, type XmlNodeType, xmlObjectOf } from "./object.ts";
import { isList, itemTypes, named, requiredOf } from "./part.ts";

/** What schemas say of the nodes of properties. */
export interface PropertyNodes {
  readonly nodeTypeOf: (types: SchemaTypes) => XmlNodeType;
  /** Whether a property or an item is the element's own text. */
  readonly hasText: (types: SchemaTypes) => boolean;
  /** Whether a schema requires a property, and isn't a branch that is not meant: one that requires what isn't there. */
  readonly isNeeded: (element: XmlElement, name: string, owner: SchemaTypes) => boolean;
  /** The properties after one whose elements have the same name. */
  readonly rivalsOf: (owner: SchemaTypes, name: string) => readonly string[];
}

/** Makes what tells the nodes of properties; it remembers those that have the same name. */
export function createPropertyNodes(document: Document, namesOf: ElementNames, direction: Direction): PropertyNodes {
  const banning = direction === "request" ? "readOnly" : "writeOnly";
  const rivalsByOwner = new WeakMap<SchemaTypes, ReadonlyMap<string, readonly string[]>>();
  return { nodeTypeOf, hasText, isNeeded, rivalsOf: (owner, name) => rivalsIn(owner).get(name) ?? [] };

  function nodeTypeOf(types: SchemaTypes): XmlNodeType {
    return xmlObjectOf(document, types).nodeType ?? (isList(types) ? "none" : "element");
  }

  function hasText(types: SchemaTypes): boolean {
    const parts = [...types.propertyNames].map((name) => types.property(name));
    return [...parts, ...itemTypes(types)].some((part) => {
      const { nodeType = "element" } = xmlObjectOf(document, part);
      return nodeType !== "element" && nodeType !== "attribute";
    });
  }

  function isNeeded(element: XmlElement, name: string, owner: SchemaTypes): boolean {
    if (isBanned(owner.property(name))) return false;
    return owner.schemas.map(requiredOf).some((required) =>
      required.includes(name) && required.every((other) => other === name || !isMissing(element, other, owner))
    );
  }

  function isMissing(element: XmlElement, name: string, owner: SchemaTypes): boolean {
    const types = owner.property(name);
    return !isBanned(types) && nodeTypeOf(types) === "element" &&
      named(elementsOf(element), namesOf(types, name)).length === 0;
  }

  /** Whether it is a property that this direction doesn't have. */
  function isBanned({ schemas }: SchemaTypes): boolean {
    return schemas.some((schema) => child(schema, banning).value === true);
  }

  /** For each property that is an element or a list of some, those after it whose elements have the same name. */
  function rivalsIn(owner: SchemaTypes): ReadonlyMap<string, readonly string[]> {
    const known = rivalsByOwner.get(owner);
    if (known !== undefined) return known;
    const properties = [...owner.propertyNames].flatMap((name) => {
      const types = owner.property(name);
      const nodeType = nodeTypeOf(types);
      if (nodeType !== "element" && !(nodeType === "none" && isList(types))) return [];
      return [{ name, element: namesOf(nodeType === "element" ? types : types.item(0), name)[0]?.local }];
    });
    const rivals = new Map(
      [...Map.groupBy(properties, ({ element }) => element).values()].flatMap((alike) =>
        alike.map(({ name }, index): [string, string[]] => [name, alike.slice(index + 1).map(({ name }) => name)])
      ),
    );
    rivalsByOwner.set(owner, rivals);
    return rivals;
  }
}
