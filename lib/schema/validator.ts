import type { Format } from "./format.ts";
import { isObject, type JsonObject } from "./node.ts";
import type { ReadPattern } from "../regexp/pattern.ts";
import type { Schema } from "./schema.ts";
import { canonical, isEqual, membership } from "./equal.ts";
import { spend, type Steps } from "./steps.ts";
import { isMultiple, isOfType, lengthOf } from "./value.ts";

/** Tells whether a value is valid against a schema. */
export type IsValid = (value: unknown, schema: Schema) => boolean;

/** Validates values against schemas. */
export interface Validator {
  /**
   * Tells whether a value is valid against a schema.
   *
   * @param keeps Whether the answers of the last call still hold: no value that it was about has changed, and it didn't
   * run out of steps. Default: `false`.
   */
  readonly isValid: (value: unknown, schema: Schema, keeps?: boolean) => boolean;
}

/** What the keywords of a schema have looked at (2020-12, section 11): what they haven't is "unevaluated". */
interface Evaluated {
  names: Set<string>;
  items: Set<number>;
}

/** An answer of a schema about a value. */
interface Known {
  readonly valid: boolean;
  readonly evaluated: Evaluated | undefined;
  /** The outermost reference under way that the answer supposes to hold; `Infinity` for none. */
  readonly supposes: number;
}

/** A reference under way, and whether an answer inside supposes that it holds. */
interface Open {
  readonly value: unknown;
  readonly index: number;
  isSupposed: boolean;
}

/** Schemas asked about one value before answers are remembered: nearly all values are done by then. */
const FEW = 200;
/** Answers that are remembered at a time. */
const MOST_KNOWN = 100_000;

/**
 * Makes a validator that interprets schemas keyword by keyword.
 *
 * A schema is asked about a value once, however many references lead to it, so that the work grows with the schema's
 * size, and not with the number of ways through it.
 *
 * @param steps Bounds the work: a step for each schema that is asked about a value. Default: it has no bound. The
 * validator throws {@linkcode OutOfSteps} when none are left.
 * @param few Schemas asked about one value before answers are remembered.
 */
export function createValidator(
  formats: ReadonlyMap<string, Format>,
  readPattern: ReadPattern,
  steps: Steps = { left: Infinity },
  few = FEW,
): Validator {
  /** The value that each schema is being asked about, for those reached by a reference. */
  const open = new Map<Schema, Open>();
  /** Answers, and those of schemas that were asked what they evaluate too. */
  let plain = new Map<Schema, Map<unknown, Known>>();
  let tracked = new Map<Schema, Map<unknown, Known>>();
  let remembered = 0;
  /** Answers that suppose something, in the order in which they were found. */
  let supposing: { supposes: number; from: Map<unknown, Known>; value: unknown }[] = [];
  /** The outermost reference that the answers since the last one supposed to hold. */
  let lowest = Infinity;
  let asked = 0;
  let depth = 0;
  const members = new WeakMap<readonly unknown[], (value: unknown) => boolean>();
  return {
    isValid: (value, schema, keeps = false) => {
      depth = 0;
      lowest = Infinity;
      if (open.size > 0) open.clear();
      if (!keeps) {
        asked = 0;
        if (remembered > 0) forget();
      }
      return isValid(value, schema);
    },
  };

  function forget(): void {
    plain = new Map();
    tracked = new Map();
    supposing = [];
    remembered = 0;
  }

  function isValid(value: unknown, schema: Schema, outer?: Evaluated): boolean {
    spend(steps, 1);
    if (schema.never !== undefined) return false;
    if (++asked <= few || !isCombined(value, schema)) return evaluate(value, schema, outer);
    const answers = outer === undefined ? plain : tracked;
    let byValue = answers.get(schema);
    if (byValue === undefined) answers.set(schema, byValue = new Map());
    const known = byValue.get(value) ?? remember(value, schema, outer !== undefined, byValue);
    lowest = Math.min(lowest, known.supposes);
    if (known.valid && outer !== undefined && known.evaluated !== undefined) addTo(outer, known.evaluated);
    return known.valid;
  }

  function remember(value: unknown, schema: Schema, isTracked: boolean, byValue: Map<unknown, Known>): Known {
    const before = lowest;
    lowest = Infinity;
    const evaluated = isTracked ? { names: new Set<string>(), items: new Set<number>() } : undefined;
    const valid = evaluate(value, schema, evaluated);
    const known: Known = { valid, evaluated, supposes: lowest };
    lowest = before;
    if (remembered++ >= MOST_KNOWN) forget();
    byValue.set(value, known);
    if (known.supposes < Infinity) supposing.push({ supposes: known.supposes, from: byValue, value });
    return known;
  }

  function evaluate(value: unknown, schema: Schema, outer: Evaluated | undefined): boolean {
    const evaluated = outer !== undefined || schema.unevaluatedItems !== undefined ||
        schema.unevaluatedProperties !== undefined
      ? { names: new Set<string>(), items: new Set<number>() }
      : undefined;
    const valid = isValidAny(value, schema) &&
      (typeof value !== "number" || isValidNumber(value, schema)) &&
      (typeof value !== "string" || isValidString(value, schema)) &&
      (!Array.isArray(value) || isValidArray(value, schema, evaluated)) &&
      (!isObject(value) || isValidObject(value, schema, evaluated)) &&
      isValidInPlace(value, schema, evaluated) &&
      (evaluated === undefined || isValidUnevaluated(value, schema, evaluated));
    if (valid && outer !== undefined && evaluated !== undefined) addTo(outer, evaluated);
    return valid;
  }

  function isValidAny(value: unknown, schema: Schema): boolean {
    return (schema.types === undefined || schema.types.some((type) => isOfType(value, type))) &&
      (schema.enum === undefined || isListed(value, schema.enum)) &&
      (schema.const === undefined || isEqual(value, schema.const.value)) &&
      (schema.format === undefined || (formats.get(schema.format)?.accepts(value) ?? true));
  }

  function isListed(value: unknown, values: readonly unknown[]): boolean {
    let isMember = members.get(values);
    if (isMember === undefined) members.set(values, isMember = membership(values));
    return isMember(value);
  }

  function isValidString(value: string, schema: Schema): boolean {
    const { minLength = 0, maxLength = Infinity, pattern } = schema;
    if (minLength > 0 || maxLength < Infinity) {
      const length = lengthOf(value);
      if (length < minLength || length > maxLength) return false;
    }
    return pattern === undefined || matches(value, pattern);
  }

  function matches(text: string, pattern: string): boolean {
    return readPattern(pattern)?.test(text) ?? true;
  }

  function isValidArray(value: readonly unknown[], schema: Schema, evaluated: Evaluated | undefined): boolean {
    const { prefixItems = [], items, contains, minContains = 1, maxContains = Infinity } = schema;
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) return false;
    if (schema.uniqueItems === true && new Set(value.map(canonical)).size < value.length) return false;
    for (const [index, item] of value.entries()) {
      const part = prefixItems[index] ?? items;
      if (part === undefined) continue;
      if (!isValid(item, part)) return false;
      evaluated?.items.add(index);
    }
    if (contains === undefined) return true;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!isValid(item, contains)) continue;
      found++;
      evaluated?.items.add(index);
    }
    return found >= minContains && found <= maxContains;
  }

  function isValidObject(value: JsonObject, schema: Schema, evaluated: Evaluated | undefined): boolean {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema;
    const has = (name: string): boolean => Object.hasOwn(value, name);
    if (schema.required !== undefined && !schema.required.every(has)) return false;
    for (const [name, needed] of schema.dependentRequired ?? []) if (has(name) && !needed.every(has)) return false;
    const names = Object.keys(value);
    if (names.length < (schema.minProperties ?? 0) || names.length > (schema.maxProperties ?? Infinity)) return false;
    if (propertyNames !== undefined && !names.every((name) => isValid(name, propertyNames))) return false;
    if (properties === undefined && patternProperties === undefined && additionalProperties === undefined) return true;
    if (patternProperties !== undefined) spend(steps, names.length * patternProperties.size);
    for (const name of names) {
      const parts = partsOf(name, schema, matches);
      if (parts.length > 0) evaluated?.names.add(name);
      if (!parts.every((part) => isValid(value[name], part))) return false;
    }
    return true;
  }

  function isValidInPlace(value: unknown, schema: Schema, evaluated: Evaluated | undefined): boolean {
    const holds = (member: Schema): boolean => isValid(value, member, evaluated);
    if (!(schema.references ?? []).every(({ target }) => holdsReference(value, target(), evaluated))) return false;
    if (schema.allOf !== undefined && !schema.allOf.every(holds)) return false;
    if (schema.anyOf !== undefined && !holdsForAny(schema.anyOf, holds, evaluated)) return false;
    if (schema.oneOf !== undefined && schema.oneOf.filter(holds).length !== 1) return false;
    if (schema.not !== undefined && isValid(value, schema.not)) return false;
    if (schema.if !== undefined) {
      const branch = holds(schema.if) ? schema.then : schema.else;
      if (branch !== undefined && !holds(branch)) return false;
    }
    if (schema.dependentSchemas !== undefined && isObject(value)) {
      for (const [name, member] of schema.dependentSchemas) {
        if (Object.hasOwn(value, name) && !holds(member)) return false;
      }
    }
    return true;
  }

  function holdsReference(value: unknown, target: Schema | undefined, evaluated: Evaluated | undefined): boolean {
    if (target === undefined) return true;
    const outer = open.get(target);
    // A schema that refers to itself without going into the value says nothing more the second time.
    if (outer !== undefined && outer.value === value) {
      outer.isSupposed = true;
      lowest = Math.min(lowest, outer.index);
      return true;
    }
    const before = lowest;
    const first = supposing.length;
    const here: Open = { value, index: depth++, isSupposed: false };
    lowest = Infinity;
    open.set(target, here);
    const valid = isValid(value, target, evaluated);
    depth--;
    open.delete(target);
    if (outer !== undefined) open.set(target, outer);
    if (here.isSupposed) settle(here, valid, first);
    lowest = Math.min(before, lowest < here.index ? lowest : Infinity);
    return valid;
  }

  /** Forgets the answers, from one on, that stand and fall with a reference which is done. */
  function settle({ index }: Open, valid: boolean, first: number): void {
    for (const answer of supposing.splice(first)) {
      if (valid && answer.supposes < index) supposing.push(answer);
      else answer.from.delete(answer.value);
    }
  }

  function isValidUnevaluated(value: unknown, schema: Schema, evaluated: Evaluated): boolean {
    const { unevaluatedItems, unevaluatedProperties } = schema;
    if (unevaluatedItems !== undefined && Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (!evaluated.items.has(index) && !isValid(item, unevaluatedItems)) return false;
        evaluated.items.add(index);
      }
    }
    if (unevaluatedProperties !== undefined && isObject(value)) {
      for (const name of Object.keys(value)) {
        if (!evaluated.names.has(name) && !isValid(value[name], unevaluatedProperties)) return false;
        evaluated.names.add(name);
      }
    }
    return true;
  }
}

/** Whether a schema asks others about the same value, or about its parts. */
function isCombined(value: unknown, schema: Schema): boolean {
  if (typeof value === "object" && value !== null) return true;
  return (schema.references ?? schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.not ?? schema.if) !== undefined;
}

function addTo(outer: Evaluated, { names, items }: Evaluated): void {
  names.forEach((name) => outer.names.add(name));
  items.forEach((index) => outer.items.add(index));
}

/** The schemas that `properties`, `patternProperties` and `additionalProperties` have for a property. */
export function partsOf(name: string, schema: Schema, matches: (text: string, pattern: string) => boolean): Schema[] {
  const parts: Schema[] = [];
  const declared = schema.properties?.get(name);
  if (declared !== undefined) parts.push(declared);
  for (const [pattern, part] of schema.patternProperties ?? []) if (matches(name, pattern)) parts.push(part);
  if (parts.length === 0 && schema.additionalProperties !== undefined) parts.push(schema.additionalProperties);
  return parts;
}

/** Asks all members where it matters what they evaluate, else only up to the first that holds. */
function holdsForAny(
  members: readonly Schema[],
  holds: (member: Schema) => boolean,
  evaluated: Evaluated | undefined,
): boolean {
  return evaluated === undefined ? members.some(holds) : members.filter(holds).length > 0;
}

function isValidNumber(value: number, schema: Schema): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return (minimum === undefined || value >= minimum) && (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum) &&
    (multipleOf === undefined || isMultiple(value, multipleOf));
}
