/**
 * An XML document doesn't say which branch of its schema it follows, nor the types of values that the schema leaves
 * open. It is read as one and as the other, and the schema decides.
 *
 * @module
 */
import { child, items } from "../../openapi/node.ts";
import type { SchemaTypes } from "../request/schema_types.ts";
import type { Fits, FitsWithin } from "./fit.ts";
import { elementsOf, textOf, type XmlElement, type XmlName } from "./xml_element.ts";
import type { ElementNames } from "./xml_object.ts";
import { isList, isRequired, named } from "./xml_part.ts";

/** A way to read a part of a document. */
export interface Way {
  readonly types: SchemaTypes;
  /** Whether text is a number or a boolean where it looks like one and the schema leaves the type open. */
  readonly isLoose: boolean;
}

/** What is known while a document is read. */
export interface Chooser {
  /**
   * Finds the way to read a part that makes a value which fits the schema.
   *
   * @param way The way that is left when no other fits: by all branches together.
   * @param branches The ways to try, the most likely first.
   */
  readonly choose: (way: Way, branches: readonly SchemaTypes[], read: (way: Way) => unknown) => Way;
  /** The value of an element, read in a way that it wasn't read before. */
  readonly once: (element: XmlElement, way: Way, read: () => unknown) => unknown;
  /** Whether there was a choice that nobody could decide. */
  readonly isUndecided: () => boolean;
}

/** Elements that are read a second time and more, and schemas that are asked: at least, and for each element. */
const READINGS = { least: 5_000, each: 5 };
const STEPS = { least: 100_000, each: 50 };

/** Makes what decides for one document. Its work grows with the size of the document, however deep choices are nested. */
export function createChooser(root: XmlElement, fitsWithin: FitsWithin | undefined): Chooser {
  const size = fitsWithin === undefined ? 0 : sizeOf(root);
  const fits: Fits | undefined = fitsWithin?.(STEPS.least + STEPS.each * size);
  const values = [new Map<XmlElement, Map<SchemaTypes, unknown>>(), new Map<XmlElement, Map<SchemaTypes, unknown>>()];
  let readings = READINGS.least + READINGS.each * size;
  let isUndecided = false;
  return { choose, once, isUndecided: () => isUndecided };

  function choose(way: Way, branches: readonly SchemaTypes[], read: (way: Way) => unknown): Way {
    if (branches.length === 0) return way;
    if (fits === undefined) {
      isUndecided = true;
      return way;
    }
    const { alternatives } = way.types;
    let partly: Way | undefined;
    for (const isLoose of way.isLoose ? [true] : [false, true]) {
      for (const types of branches) {
        if (readings <= 0) return partly ?? way;
        const attempt = { types, isLoose };
        const value = read(attempt);
        if (value === undefined) continue;
        const fitting = alternatives.filter((schema) => fits(value, schema)).length;
        if (fitting === alternatives.length) return attempt;
        // Patterns of names, for one, each describe some of the values.
        if (fitting > 0) partly ??= attempt;
      }
    }
    return partly ?? way;
  }

  function once(element: XmlElement, { types, isLoose }: Way, read: () => unknown): unknown {
    const known = values[isLoose ? 1 : 0]?.get(element) ?? new Map<SchemaTypes, unknown>();
    values[isLoose ? 1 : 0]?.set(element, known);
    if (known.has(types)) return known.get(types);
    readings--;
    const value = read();
    known.set(types, value);
    return value;
  }
}

function sizeOf(element: XmlElement): number {
  return elementsOf(element).reduce((size, part) => size + sizeOf(part), 1);
}

/** What a schema says of a property, as far as it tells branches apart. */
interface Trait {
  readonly names: readonly XmlName[];
  /** Whether there must be an element. */
  readonly isNeeded: boolean;
  /** The texts that are allowed, where they are listed. */
  readonly texts: ReadonlySet<string> | undefined;
}

/** Lists the branches of an element's schema, those first that say most of what is in the element and nothing else. */
export type LikelyBranches = (element: XmlElement, types: SchemaTypes) => SchemaTypes[];

/** Makes what lists the likely branches; it remembers what tells them apart. */
export function createLikelyBranches(namesOf: ElementNames): LikelyBranches {
  const known = new WeakMap<SchemaTypes, readonly Trait[]>();
  return (element, { branches }) => {
    const parts = elementsOf(element);
    return branches
      .map((types) => ({ types, misfit: isList(types) ? 0 : misfitOf(parts, traitsOf(types)) }))
      .sort((a, b) => a.misfit - b.misfit)
      .map(({ types }) => types);
  };

  function traitsOf(types: SchemaTypes): readonly Trait[] {
    const traits = known.get(types) ?? [...types.propertyNames].map((name): Trait => {
      const property = types.property(name);
      const isNeeded = isRequired(types, name) && !isList(property);
      return { names: namesOf(property, name), isNeeded, texts: listedTexts(property) };
    });
    known.set(types, traits);
    return traits;
  }
}

/** How many elements are missing, too many or with another text than a schema lists. */
function misfitOf(parts: readonly XmlElement[], traits: readonly Trait[]): number {
  const described = new Set<XmlElement>();
  let misfit = 0;
  for (const { names, isNeeded, texts } of traits) {
    const [only, ...more] = named(parts, names);
    if (only === undefined) {
      misfit += isNeeded ? 1 : 0;
      continue;
    }
    if (more.length === 0 && texts !== undefined && !texts.has(textOf(only))) misfit++;
    for (const part of [only, ...more]) described.add(part);
  }
  return misfit + parts.length - described.size;
}

function listedTexts({ schemas }: SchemaTypes): ReadonlySet<string> | undefined {
  const listed = schemas.flatMap((schema) => [...items(child(schema, "enum")), child(schema, "const")])
    .filter(({ value }) => value !== undefined);
  return listed.length === 0 ? undefined : new Set(listed.map(({ value }) => String(value)));
}
