/**
 * An XML document doesn't say which branch of its schema it follows, nor the types of values that the schema leaves
 * open. It is read as one and as the other, and the schema decides.
 *
 * @module
 */
import { child, items } from "../../schema/node.ts";
import type { SchemaTypes } from "../schema_types.ts";
import type { Fits, FitsWithin } from "../fit.ts";
import { elementsOf, textOf, type XmlElement, type XmlName } from "./element.ts";
import type { ElementNames } from "./object.ts";
import { isList, isRequired, named } from "./part.ts";

/**
 * What is read into a part whose type the schema leaves open:
 *
 * - `text`: a string where there is but text;
 * - `scalar`: a number or a boolean where the text looks like one;
 * - `any`: besides, an empty object where there is nothing, and an array of one item.
 */
export type OpenReading = "text" | "scalar" | "any";

const OPEN_READINGS = ["text", "scalar", "any"] as const satisfies readonly OpenReading[];

/** A way to read a part of a document. */
export interface Way {
  readonly types: SchemaTypes;
  readonly open: OpenReading;
}

/** What is known while a document is read. */
export interface Chooser {
  /**
   * Finds the way to read a part that makes a value which fits the schema.
   *
   * @param way The way that is left when no other fits.
   * @param branches The ways to try, the most likely first.
   */
  readonly choose: (way: Way, branches: readonly SchemaTypes[], read: (way: Way) => unknown) => Way;
  /** Whether a value fits what it was read by; yes, where nobody can tell. */
  readonly fits: (value: unknown, types: SchemaTypes) => boolean;
  /** The value of an element, read in a way that it wasn't read before. */
  readonly once: (element: XmlElement, way: Way, read: () => unknown) => unknown;
  /** Whether there was something to decide and nobody to do it. */
  readonly isUndecided: () => boolean;
}

/** Elements that are read a second time and more, and schemas that are asked: at least, and for each element. */
const READINGS = { least: 5_000, each: 5 };
const STEPS = { least: 300_000, each: 50 };
/** Properties, each in each schema of an element, that are looked up in the time of a reading. */
const LARGE = 150;

type Readings = Map<XmlElement, Map<SchemaTypes, unknown>>;

/** Makes what decides for one document. Its work grows with the document's size, however deep choices are nested. */
export function createChooser(root: XmlElement, fitsWithin: FitsWithin | undefined): Chooser {
  const size = fitsWithin === undefined ? 0 : sizeOf(root);
  const judge: Fits | undefined = fitsWithin?.(STEPS.least + STEPS.each * size);
  const known: Readonly<Record<OpenReading, Readings>> = { text: new Map(), scalar: new Map(), any: new Map() };
  let readings = READINGS.least + READINGS.each * size;
  let isUndecided = false;
  return { choose, fits, once, isUndecided: () => isUndecided };

  function choose(way: Way, branches: readonly SchemaTypes[], read: (way: Way) => unknown): Way {
    if (branches.length === 0) return way;
    if (judge === undefined) {
      isUndecided = true;
      return way;
    }
    let partly: Way | undefined;
    for (const open of OPEN_READINGS.slice(OPEN_READINGS.indexOf(way.open))) {
      for (const types of branches) {
        if (readings <= 0) return partly ?? way;
        const attempt = { types, open };
        const fitting = fittingPart(read(attempt), way.types, judge);
        if (fitting === "all") return attempt;
        if (fitting === "some") partly ??= attempt;
      }
    }
    return partly ?? way;
  }

  function fits(value: unknown, types: SchemaTypes): boolean {
    if (judge !== undefined) return fittingPart(value, types, judge) !== "none";
    isUndecided = true;
    return true;
  }

  function once(element: XmlElement, { types, open }: Way, read: () => unknown): unknown {
    const values = known[open].get(element) ?? new Map<SchemaTypes, unknown>();
    known[open].set(element, values);
    if (values.has(types)) return values.get(types);
    readings -= 1 + Math.floor(types.schemas.length * types.propertyNames.size / LARGE);
    const value = read();
    values.set(types, value);
    return value;
  }
}

/** How many of the schemas that a value is read by it fits: patterns of names, for one, each describe some values. */
function fittingPart(value: unknown, { alternatives }: SchemaTypes, fits: Fits): "all" | "some" | "none" {
  if (value === undefined) return "none";
  const { length } = alternatives.filter((schema) => fits(value, schema));
  if (length === alternatives.length) return "all";
  return length > 0 ? "some" : "none";
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

/** The branches of an element's schema by what is in the element. */
export interface Likelihood {
  /** Those first that describe most of it and want nothing else. */
  readonly branches: readonly SchemaTypes[];
  /** The one that is likelier than all others; the schema with all its branches where there is none. */
  readonly likeliest: SchemaTypes;
}

/** Makes what tells how likely the branches of an element's schema are; it remembers what tells them apart. */
export function createLikelihood(namesOf: ElementNames): (element: XmlElement, types: SchemaTypes) => Likelihood {
  const known = new WeakMap<SchemaTypes, readonly Trait[]>();
  return (element, all) => {
    const parts = elementsOf(element);
    const sorted = all.branches
      .map((types) => ({ types, misfit: isList(types) ? 0 : misfitOf(parts, traitsOf(types)) }))
      .sort((a, b) => a.misfit - b.misfit);
    const [first, second] = sorted;
    const isClear = first !== undefined && first.misfit < (second?.misfit ?? Infinity) && !isList(first.types);
    return { branches: sorted.map(({ types }) => types), likeliest: isClear ? first.types : all };
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
