/**
 * Makes a value valid with few changes: converts a part that violates the schema, or else replaces it by a generated
 * value, or else removes it.
 *
 * @module
 */
import { type Check, MOST_VIOLATIONS } from "../../../schema/document_validator.ts";
import { COMBINATORS } from "../../../schema/dialect.ts";
import type { Hints } from "../../../schema/hints.ts";
import { isObject, type JsonObject, type Node } from "../../../schema/json/node.ts";
import { formatPointer, valueAt } from "../../../schema/json/pointer.ts";
import type { Violation } from "../../../schema/violation.ts";
import { hintsAt } from "../../../observe/record/secret_rules.ts";
import { convertValue } from "./convert_value.ts";
import { sizeOf } from "../store/size_of.ts";
import { withoutPart, withPart } from "../../../schema/json/parts.ts";

/** A schema as `fitValue()` needs it: its hints, its validator, and a generator for its subschemas. */
export interface FitRules {
  readonly hints: Hints;
  readonly check: Check;
  /** Generates a value of a subschema. Deterministic; `undefined` if no value is found. */
  readonly generate: (schema: Node) => unknown;
}

/** The result of `fitValue()`. */
export interface Fitted {
  readonly value: unknown;
  /** JSON Pointers of the parts that differ from the given value. */
  readonly changed: readonly string[];
  /** Whether the value is valid. If not, no valid value is known, and the value is as it was given. */
  readonly isValid: boolean;
}

/** Limit of the rounds, each of which validates the value and changes the parts that violate the schema. */
const MOST_ROUNDS = 12;
/** Limit of the properties or elements that are added to a valid value one by one, with a validation for each. */
const MOST_TRIED = 60;
const MOST_BASES = 4;

/**
 * Limit of the bytes that are validated to make one value valid, as `sizeOf` estimates them. A large value is thus
 * validated only a few times, but at least {@linkcode LEAST_CHECKS} times.
 */
const MOST_CHECKED = 64 * 1024 * 1024;
const LEAST_CHECKS = 3;

/**
 * Makes a value valid with few changes.
 *
 * @param bases Returns other valid values by index, `undefined` after the last. If `wanted` can't be made valid, as many
 * of its properties as possible are added to such a value.
 * @param at The path of the part whose properties or elements are added to a value of `bases`: an item or list in an
 * envelope.
 */
export function fitValue(
  wanted: unknown,
  bases: (index: number) => unknown,
  rules: FitRules,
  at: readonly string[] = [],
): Fitted {
  const check = limitedCheck(rules.check, wanted);
  const mended = mend(wanted, { ...rules, check });
  if (mended !== undefined) return mended;
  const first = bases(0);
  if (first === undefined) return { value: wanted, changed: [], isValid: false };
  const parts = valueAt(wanted, at);
  if (Array.isArray(parts)) return addElements(parts, first, check, at);
  if (!isObject(parts) || !isObject(valueAt(first, at))) return { value: first, changed: [""], isValid: true };
  let best: Fitted | undefined;
  for (let index = 0; index < MOST_BASES; index++) {
    const base = bases(index);
    if (base === undefined) break;
    const fitted = addProperties(parts, base, check, at);
    if (best === undefined || fitted.changed.length < best.changed.length) best = fitted;
    if (best.changed.length === 0) break;
  }
  return best ?? { value: first, changed: [""], isValid: true };
}

/** Limits the number of validations by the size of the value. Beyond the limit, every value counts as invalid. */
export function limitedCheck(check: Check, wanted: unknown): Check {
  // Validations that remain; unlimited until the first invalid value, since most values are valid.
  let left: number | undefined;
  return (value) => {
    if (left !== undefined && left-- <= 0) return [UNCHECKED];
    const violations = check(value);
    if (violations.length > 0) {
      left ??= Math.max(LEAST_CHECKS, Math.floor(MOST_CHECKED / Math.max(1, sizeOf(wanted)))) - 1;
    }
    return violations;
  };
}

const UNCHECKED: Violation = { path: [], keyword: "schema", message: "is not checked", schema: "" };

/** A part that was changed, and how often. */
interface Mended {
  readonly path: readonly string[];
  times: number;
}

/** Changes the parts that violate the schema, until the value is valid. `undefined` if violations remain. */
function mend(wanted: unknown, rules: FitRules): Fitted | undefined {
  /**
   * The changed parts by JSON Pointer. Each time that a part is still invalid, `remedy()` changes it more radically.
   */
  const mended = new Map<string, Mended>();
  let value = wanted;
  for (let round = 0; round <= MOST_ROUNDS; round++) {
    const violations = rules.check(value);
    if (violations.length === 0) {
      // A missing required property that was added doesn't count as changed.
      const changed = [...mended].flatMap(([pointer, { path }]) =>
        valueAt(wanted, path) === undefined ? [] : [pointer]
      );
      return { value, changed, isValid: true };
    }
    if (round === MOST_ROUNDS || violations.length >= MOST_VIOLATIONS) return undefined;
    const next = mendViolations(value, violations, mended, rules);
    if (next === undefined) return undefined;
    value = next;
  }
  return undefined;
}

function mendViolations(
  value: unknown,
  violations: readonly Violation[],
  mended: Map<string, Mended>,
  rules: FitRules,
): unknown {
  const done = new Set<string>();
  let changed = value;
  let isChanged = false;
  const deepest = withoutCombinations(violations);
  for (const violation of deepest) {
    const path = violation.property === undefined ? violation.path : [...violation.path, violation.property];
    // A violation of `oneOf` or `anyOf` at the root doesn't name a part that could be changed.
    if (path.length === 0) continue;
    const pointer = formatPointer(path);
    if (done.has(pointer)) continue;
    done.add(pointer);
    let place = mended.get(pointer);
    if (place === undefined) mended.set(pointer, place = { path, times: 0 });
    changed = remedy(changed, path, violation, place.times++, rules);
    isChanged = true;
  }
  return isChanged ? changed : undefined;
}

const COMBINATIONS: ReadonlySet<string> = new Set(COMBINATORS);

/**
 * Removes a violation of `anyOf` or `oneOf` if a violation inside the same value is known too. For `anyOf: [null,
 * {required: [interval, count]}]`, the value `{interval: "day"}` violates both; adding `count` is better than replacing
 * the value.
 */
function withoutCombinations(violations: readonly Violation[]): readonly Violation[] {
  const combined = new Set<string>();
  const around = new Set<string>();
  for (const { path, property, keyword } of violations) {
    if (COMBINATIONS.has(keyword)) combined.add(formatPointer(path));
    const most = property === undefined ? path.length - 1 : path.length;
    for (let depth = 0; depth <= most; depth++) around.add(formatPointer(path.slice(0, depth)));
  }
  const others = violations.filter(({ path, property }) => {
    const pointer = formatPointer(path);
    return property !== undefined || !combined.has(pointer) || !around.has(pointer);
  });
  return others.length === 0 ? violations : others;
}

/**
 * Changes an invalid part: converts it at first, then replaces it by a generated value, then removes it, and at last
 * replaces the value that contains it.
 */
function remedy(
  value: unknown,
  path: readonly string[],
  violation: Violation,
  times: number,
  rules: FitRules,
): unknown {
  const part = valueAt(value, path);
  const hints = hintsAt(rules.hints, path);
  if (violation.property !== undefined && part !== undefined) return withoutPart(value, path);
  // A property without a value is left out where the schema allows no null, and is generated only if it is required.
  if (times === 0 && part === null && !Array.isArray(valueAt(value, path.slice(0, -1)))) {
    return withoutPart(value, path);
  }
  if (times === 0 && part !== undefined) {
    const converted = convertValue(part, hints);
    if (converted !== undefined) return withPart(value, path, converted);
  }
  if (times <= 1) {
    const generated = generateAt(hints, rules);
    if (generated !== undefined) return withPart(value, path, generated);
  }
  if (times <= 2) return withoutPart(value, path);
  const outer = path.slice(0, -1);
  if (outer.length === 0) return value;
  const generated = generateAt(hintsAt(rules.hints, outer), rules);
  return generated === undefined ? withoutPart(value, outer) : withPart(value, outer, generated);
}

function generateAt(hints: Hints, { generate }: FitRules): unknown {
  const [described] = hints.alternatives;
  if (described === undefined) return undefined;
  return generate(described.node);
}

/** Adds the properties to a valid value one by one, and skips those that make it invalid. */
function addProperties(wanted: JsonObject, base: unknown, check: Check, at: readonly string[]): Fitted {
  const present = valueAt(base, at);
  const whole = withPart(base, at, { ...isObject(present) ? present : {}, ...wanted });
  if (check(whole).length === 0) return { value: whole, changed: [], isValid: true };
  let value = base;
  const changed: string[] = [];
  let tried = 0;
  for (const [name, part] of Object.entries(wanted)) {
    const path = [...at, name];
    const candidate = withPart(value, path, part);
    if (++tried <= MOST_TRIED && check(candidate).length === 0) value = candidate;
    else changed.push(formatPointer(path));
  }
  return { value, changed, isValid: true };
}

/** Adds the elements to the array in a valid value one by one, and skips those that make it invalid. */
function addElements(wanted: readonly unknown[], base: unknown, check: Check, at: readonly string[]): Fitted {
  const empty = withPart(base, at, []);
  let value = check(empty).length === 0 ? empty : base;
  const added: unknown[] = [];
  const changed: string[] = [];
  for (const [index, element] of wanted.entries()) {
    const candidate = withPart(base, at, [...added, element]);
    if (index < MOST_TRIED && check(candidate).length === 0) {
      value = candidate;
      added.push(element);
    } else changed.push(formatPointer([...at, String(index)]));
  }
  return { value, changed, isValid: true };
}
