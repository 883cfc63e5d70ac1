import { NUMBER_RANGES } from "../../schema/format.ts";
import type { Schema } from "../../schema/schema.ts";
import { createRandom } from "./random.ts";

export interface NumberConstraints {
  readonly least: number;
  readonly most: number;
  /** Whether `least` itself is allowed, and whether `most` is. */
  readonly includesLeast: boolean;
  readonly includesMost: boolean;
  /** The values of `multipleOf`; 1 for an integer. */
  readonly divisors: readonly number[];
}

/**
 * The constraints on a number that schemas set together: the highest lower bound, the lowest upper bound, and all
 * divisors.
 */
export function numberConstraintsOf(schemas: Iterable<Schema>, isInteger: boolean): NumberConstraints {
  let [least, most, includesLeast, includesMost] = [-Infinity, Infinity, true, true];
  const divisors = new Set<number>(isInteger ? [1] : []);
  const raise = (exact: number | bigint | undefined, includes: boolean): void => {
    const bound = exact === undefined ? undefined : Number(exact);
    if (bound === undefined || bound < least || (bound === least && includes)) return;
    [least, includesLeast] = [bound, includes];
  };
  const lower = (exact: number | bigint | undefined, includes: boolean): void => {
    const bound = exact === undefined ? undefined : Number(exact);
    if (bound === undefined || bound > most || (bound === most && includes)) return;
    [most, includesMost] = [bound, includes];
  };
  for (const schema of schemas) {
    raise(schema.minimum, true);
    raise(schema.exclusiveMinimum, false);
    lower(schema.maximum, true);
    lower(schema.exclusiveMaximum, false);
    if (schema.multipleOf !== undefined) divisors.add(schema.multipleOf);
    const range = NUMBER_RANGES.get(schema.format ?? "");
    raise(range?.least, true);
    lower(range?.most, true);
    if (range?.integer === true) divisors.add(1);
  }
  return { least, most, includesLeast, includesMost, divisors: [...divisors] };
}

/**
 * The integers at the bounds that a double would round. With such a bound, a double within the bounds may not exist.
 */
export function exactBoundsOf(schemas: Iterable<Schema>): readonly bigint[] {
  const found: bigint[] = [];
  for (const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } of schemas) {
    if (typeof minimum === "bigint") found.push(minimum);
    if (typeof exclusiveMinimum === "bigint") found.push(exclusiveMinimum + 1n);
    if (typeof maximum === "bigint") found.push(maximum);
    if (typeof exclusiveMaximum === "bigint") found.push(exclusiveMaximum - 1n);
  }
  return found;
}

/** The most multiples of a divisor that are tried. Rounding errors of binary fractions make some multiples invalid. */
const MOST_TRIES = 60;

/**
 * Builds a number within its constraints.
 *
 * @param suggestion The number that would look most realistic.
 * @param hash Seed of the random number that is tried if `suggestion` is invalid.
 * @param accepts Tells whether a number is valid.
 * @returns `"none"` if no number satisfies the constraints; `undefined` if none was found.
 */
export function buildNumber(
  constraints: NumberConstraints,
  suggestion: number,
  hash: number,
  accepts: (value: number) => boolean,
): number | "none" | undefined {
  // Some validators test `multipleOf` by dividing binary fractions: 0.29 / 0.01 isn't an integer. Prefer a number that
  // such validators accept, too.
  const isMultipleToAll = (value: number): boolean =>
    constraints.divisors.every((divisor) => Number.isInteger(value / divisor));
  const number = findNumber(constraints, suggestion, hash, (value) => isMultipleToAll(value) && accepts(value));
  return typeof number === "number" ? number : findNumber(constraints, suggestion, hash, accepts);
}

function findNumber(
  constraints: NumberConstraints,
  suggestion: number,
  hash: number,
  accepts: (value: number) => boolean,
): number | "none" | undefined {
  const { least, most, includesLeast, includesMost, divisors } = constraints;
  const isWithin = (value: number): boolean =>
    Number.isFinite(value) && (value > least || (includesLeast && value === least)) &&
    (value < most || (includesMost && value === most));
  if (least > most || (least === most && !(includesLeast && includesMost))) return "none";
  const step = commonMultiple(divisors);
  const random = createRandom(hash);
  const [low, high] = [Math.max(least, -Number.MAX_SAFE_INTEGER), Math.min(most, Number.MAX_SAFE_INTEGER)];
  const [from, to] = least > -Infinity || most < Infinity ? nearRange(least, most) : [low, high];
  const candidates = [suggestion, from + random() * (to - from), 1, 0, -1, from, to, (from + to) / 2];
  for (const candidate of candidates) {
    for (const value of roundings(candidate, step)) if (isWithin(value) && accepts(value)) return value;
  }
  if (step === undefined) {
    for (const value of [(least + most) / 2, least, most, suggestion / 7, suggestion * 1e6 + 0.5]) {
      if (isWithin(value) && accepts(value)) return value;
    }
    return undefined;
  }
  const [first, last] = [Math.ceil(least / step), Math.floor(most / step)];
  const start = Number.isFinite(first) ? first : Number.isFinite(last) ? last - MOST_TRIES : 0;
  let anyWithin = false;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    for (const value of roundings((start + tries) * step, step)) {
      if (!isWithin(value)) continue;
      anyWithin = true;
      if (accepts(value)) return value;
    }
  }
  const isExact = divisors.length <= 1 || divisors.every(Number.isInteger);
  return !anyWithin && isExact ? "none" : undefined;
}

/**
 * The part of a range from which a realistic number is chosen: within 100 of a single bound, or from 1 to 100 in a wide
 * range.
 */
function nearRange(least: number, most: number): [number, number] {
  if (least === -Infinity) return [most - 100, most];
  if (most === Infinity) return [least, least + 100];
  return most - least > 1e6 && least <= 0 && most >= 100 ? [Math.max(least, 1), 100] : [least, most];
}

/**
 * A common multiple of all divisors, found among the first 1000 multiples. If two divisors have none there, the larger
 * divisor takes the place of their common multiple.
 */
function commonMultiple(divisors: readonly number[]): number | undefined {
  const [first, ...others] = divisors;
  if (first === undefined) return undefined;
  return others.reduce((common, divisor) => {
    for (let multiple = 1; multiple <= 1000; multiple++) {
      const candidate = Number((common * multiple).toPrecision(15));
      if (Number.isInteger(candidate / divisor)) return candidate;
    }
    return Math.max(common, divisor);
  }, first);
}

/**
 * The multiples of `step` around a number: the nearest, the next and the previous multiple, each rounded to 15 digits
 * and unrounded. Without `step`, the number rounded to two decimals, and unrounded.
 */
function roundings(value: number, step: number | undefined): number[] {
  if (step === undefined) return [Number(value.toFixed(2)), value].map(withoutSign);
  const nearest = Math.round(value / step);
  return [nearest, nearest + 1, nearest - 1]
    .flatMap((times) => [Number((times * step).toPrecision(15)), times * step])
    .map(withoutSign);
}

/** Converts -0 to 0, since JSON serializers write them alike. */
function withoutSign(value: number): number {
  return value === 0 ? 0 : value;
}
