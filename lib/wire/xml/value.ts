import type { Document } from "../../openapi/document.ts";
import { isObject } from "../../schema/node.ts";
import type { Direction } from "../../schema/schema.ts";
import type { SchemaTypes } from "../schema_types.ts";
import { toScalar, toValue } from "../scalar.ts";
import type { FitsWithin } from "../fit.ts";
import { createChooser, createLikelihood, type Way } from "./choice.ts";
import { elementsOf, isNil, ownAttributes, textOf, type XmlElement, type XmlName } from "./element.ts";
import { unescapeName } from "./name.ts";
import { createElementNames, xmlAttributeNameOf, xmlObjectOf } from "./object.ts";
import {
  copyOf,
  isList,
  isNamed,
  isRequired,
  isScalar,
  itemTypes,
  named,
  ownText,
  type Remainder,
  take,
  wholeOf,
} from "./part.ts";
import { createPropertyNodes } from "./property.ts";

/** A schema may describe objects without an element of their own without end. */
const MOST_PARTS = 200;
/** What text may be whose type the schema leaves open, and says nothing against. */
const ANY_SCALAR: Pick<SchemaTypes, "allowed"> = { allowed: new Set(["number", "boolean", "string"]) };

/** What the reading of a document depends on beside its schema. */
export interface XmlReadingOptions {
  /** A request has no `readOnly` properties, a response no `writeOnly` ones. Default: `request`. */
  direction?: Direction | undefined;
  /** What tells whether a value fits: decides between the branches of a schema. */
  fitsWithin?: FitsWithin | undefined;
}

/** What an element says. */
export interface XmlValue {
  value: unknown;
  /** Whether branches of the schema were read together because nothing was there to decide between them. */
  isUndecided: boolean;
}

/**
 * Reads an element as the value that its schema describes: the inverse of `toXml`.
 *
 * Where a schema leaves a choice between branches, the element is read by each until its value fits the schema; where
 * none does, by the one that it is most like, or by all together. Where it leaves the type open, an element with
 * elements or attributes is an object and any other a string; if that doesn't fit, a number, a boolean, an empty object
 * or an array of one item. Attributes and elements that the schema doesn't know become properties all the same, for it
 * to judge. No element at all is an empty array only if the property is required.
 */
export function fromXml(
  root: XmlElement,
  document: Document,
  types: SchemaTypes,
  { direction = "request", fitsWithin }: XmlReadingOptions = {},
): XmlValue {
  const namesOf = createElementNames(document);
  const { nodeTypeOf, hasText, isNeeded, rivalsOf } = createPropertyNodes(document, namesOf, direction);
  const likelihoodOf = createLikelihood(namesOf);
  const { choose, fits, once, isUndecided } = createChooser(root, fitsWithin);
  return { value: valueOf(root, { types, open: "text" }), isUndecided: isUndecided() };

  function valueOf(element: XmlElement, way: Way): unknown {
    if (isNil(element)) return null;
    const { types } = way;
    if (types.branches.length === 0) return once(element, way, () => valueBy(element, way));
    // What all branches say together is no branch, and is not to be taken for what is chosen.
    const attempt = (way: Way): unknown =>
      way.types === types ? valueBy(element, way) : once(element, way, () => valueBy(element, way));
    return once(element, way, () => {
      const { branches, likeliest } = likelihoodOf(element, types);
      // A text that fits several branches is a number before it is a string.
      const chosen = hasParts(element)
        ? choose(inside(way, likeliest), branches, attempt)
        : choose(way, [types, ...branches], attempt);
      return attempt(chosen);
    });
  }

  function valueBy(element: XmlElement, way: Way): unknown {
    const { types } = way;
    const { allowed } = types;
    if (hasParts(element)) {
      const isArray = allowed.has("array") && !(allowed.has("object") && hasProperties(element, types));
      return isArray ? arrayOf(element, way) : objectOf(element, way);
    }
    const text = textOf(element);
    const isBlank = text.trim() === "";
    if (allowed.size === 0 || isScalar(types)) return scalarBy(text, way);
    if (isBlank && allowed.has("null") && !allowed.has("object")) return null;
    // Text where there should be elements is left for the schema to refuse.
    if (!isBlank && !hasText(types)) return text;
    return allowed.has("array") && !allowed.has("object") ? arrayOf(element, way) : objectOf(element, way);
  }

  function arrayOf(element: XmlElement, way: Way): unknown[] {
    const parts = element.children.filter((part) => part.kind === "element" || part.text.trim() !== "");
    return parts.map((part, index) => {
      const item = inside(way, way.types.item(index));
      return part.kind === "element" ? valueOf(part, item) : scalarOf(part.text, item);
    });
  }

  function objectOf(element: XmlElement, way: Way): Record<string, unknown> {
    const left = wholeOf(element);
    const members = propertiesOf(element, way, left);
    const names = new Set(members.map(([name]) => name));
    for (const [name, parts] of Map.groupBy([...left.elements], (part) => unescapeName(part.name.local))) {
      if (names.has(name)) continue;
      const types = way.types.property(name);
      const values = isList(types) || parts.length > 1
        ? parts.map((part, index) => valueOf(part, inside(way, types.item(index))))
        : parts.map((part) => oneOrList(valueOf(part, inside(way, types)), inside(way, types)));
      names.add(name);
      members.push([name, isList(types) || values.length > 1 ? values : values[0]]);
    }
    for (const { name, value } of ownAttributes([...left.attributes])) {
      const key = unescapeName(name.local);
      if (!names.has(key)) members.push([key, scalarOf(value, inside(way, way.types.property(key)))]);
    }
    // `Object.fromEntries` makes own properties of all names, `__proto__` among them.
    return Object.fromEntries(members);
  }

  /** The properties that the schema describes. */
  function propertiesOf(element: XmlElement, owner: Way, left: Remainder): [string, unknown][] {
    return [...owner.types.propertyNames].flatMap((name): [string, unknown][] => {
      const value = propertyOf(element, name, owner, left);
      return value === undefined ? [] : [[name, value]];
    });
  }

  function propertyOf(element: XmlElement, name: string, owner: Way, left: Remainder): unknown {
    const way = inside(owner, owner.types.property(name));
    // Lists have no element of their own, by which it could be told what they are.
    const branches = way.types.branches.some(isList) ? way.types.branches : [];
    const attempt = (way: Way): unknown => propertyBy(element, name, owner, copyOf(left), way);
    return propertyBy(element, name, owner, left, choose(way, branches, attempt));
  }

  function propertyBy(element: XmlElement, name: string, owner: Way, left: Remainder, way: Way): unknown {
    const { types } = way;
    const xml = xmlObjectOf(document, types);
    const nodeType = nodeTypeOf(types);
    switch (nodeType) {
      case "attribute": {
        const found = [...left.attributes].find((attribute) => isNamed(attribute.name, xmlAttributeNameOf(xml, name)));
        if (found === undefined) return types.allowed.has("null") ? null : undefined;
        left.attributes.delete(found);
        return attributeValue(found.value, way);
      }
      case "cdata":
      case "text": {
        const text = ownText(element, nodeType);
        if (left.text || text === "" && !isRequired(owner.types, name)) return undefined;
        left.text = true;
        return scalarOf(text, way);
      }
      case "none":
        if (types.allowed.has("array")) return listOf(element, name, owner, left, way);
        if (types.allowed.has("object")) return partOf(element, name, owner.types, left, way);
        return left.text ? undefined : scalarOf(textOf(element), way);
      case "element": {
        const found = takeFor(name, owner, left, namesOf(types, name), way);
        const [only] = found;
        if (found.length < 2) return only && oneOrList(valueOf(only, way), way);
        // The schema knows one, so it will say what is wrong with more.
        return found.map((part) => valueOf(part, way));
      }
    }
  }

  /**
   * Takes the elements that are a property's. Of properties whose elements have the same name, as those that refer to
   * one schema with a name, each takes the next, a list all; but none that a required one after it needs, or that only
   * fits another.
   *
   * @param only How the element is read, where it is but one.
   */
  function takeFor(name: string, { types }: Way, left: Remainder, names: readonly XmlName[], only?: Way): XmlElement[] {
    const rivals = rivalsOf(types, name);
    if (rivals.length === 0) return take(left, names);
    const found = named([...left.elements], names);
    const needed = rivals.filter((rival) => isRequired(types, rival) && !isList(types.property(rival))).length;
    const spare = found.length - needed;
    if (only === undefined) return take(left, names, Math.max(0, spare));
    const [next] = found;
    if (next === undefined || isRequired(types, name)) return take(left, names, 1);
    return spare > 0 && (found.length > rivals.length || fits(valueOf(next, only), only.types))
      ? take(left, names, 1)
      : [];
  }

  /** An array without an element of its own, unless it is `null`; a lone scalar where the schema allows that too. */
  function listOf(element: XmlElement, name: string, owner: Way, left: Remainder, way: Way): unknown {
    const { types } = way;
    if (types.allowed.has("null") && !types.item(0).allowed.has("null")) {
      const nil = named([...left.elements], namesOf(types, name)).find(isNil);
      if (nil !== undefined) {
        left.elements.delete(nil);
        return null;
      }
    }
    const names = itemTypes(types).flatMap((item) => namesOf(item, name));
    const found = takeFor(name, owner, left, names);
    const [only] = found;
    if (only === undefined && !isNeeded(element, name, owner.types)) return undefined;
    if (only !== undefined && found.length === 1 && isScalar(types)) return valueOf(only, way);
    return found.map((part, index) => valueOf(part, inside(way, types.item(index))));
  }

  /** An object without an element of its own: its properties stand among those of the object around it. */
  function partOf(element: XmlElement, name: string, owner: SchemaTypes, left: Remainder, way: Way): unknown {
    if (left.parts === MOST_PARTS) return undefined;
    left.parts++;
    const members = propertiesOf(element, way, left);
    return members.length === 0 && !isRequired(owner, name) ? undefined : Object.fromEntries(members);
  }

  function scalarOf(text: string, way: Way): unknown {
    const attempt = (way: Way): unknown => scalarBy(text, way);
    const { types } = way;
    return attempt(choose(way, types.branches.length === 0 ? [] : [types, ...types.branches], attempt));
  }

  function attributeValue(text: string, way: Way): unknown {
    if (!way.types.allowed.has("array")) return scalarOf(text, way);
    const pieces = text.trim() === "" ? [] : text.trim().split(/\s+/);
    return toValue(pieces, way.types);
  }
}

function hasParts(element: XmlElement): boolean {
  return elementsOf(element).length > 0 || ownAttributes(element.attributes).length > 0;
}

function hasProperties(element: XmlElement, types: SchemaTypes): boolean {
  return elementsOf(element).some(({ name }) => types.propertyNames.has(unescapeName(name.local)));
}

/** How a part of what is read is to be read. */
function inside({ open }: Way, types: SchemaTypes): Way {
  return { types, open };
}

/** An element's value, as an array where the schema leaves open whether it is one, unless the element is empty. */
function oneOrList(value: unknown, { types, open }: Way): unknown {
  const isEmpty = value === null || isObject(value) && Object.keys(value).length === 0;
  return open === "any" && types.allowed.size === 0 && !isEmpty ? [value] : value;
}

/** White space around anything but a string means nothing (XML Schema Part 2, section 4.3.6). */
function scalarBy(text: string, { types, open }: Way): unknown {
  const isOpen = types.allowed.size === 0;
  if (isOpen && open === "any" && text.trim() === "") return {};
  if (isOpen && open !== "text") return toScalar(text, ANY_SCALAR);
  return toScalar(isOpen || types.allowed.has("string") ? text : text.trim(), types);
}
