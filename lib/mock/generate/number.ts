import { NUMBER_RANGES } from "../../schema/format.ts";
import type { Schema } from "../../schema/schema.ts";
import { createRandom } from "./random.ts";
import { isOfType } from "../../schema/json/value.ts";

export interface NumberConstraints {
  /** The bounds; a `bigint` where a double would round. */
  readonly least: number | bigint;
  readonly most: number | bigint;
  /** Whether `least` itself is allowed, and whether `most` is. */
  readonly includesLeast: boolean;
  readonly includesMost: boolean;
  /** The values of `multipleOf`; 1 for an integer. */
  readonly divisors: readonly (number | bigint)[];
}

/**
 * The constraints on a number that schemas set together: the highest lower bound, the lowest upper bound, and all
 * divisors.
 */
export function numberConstraintsOf(schemas: Iterable<Schema>, isInteger: boolean): NumberConstraints {
  let [least, most, includesLeast, includesMost]: [number | bigint, number | bigint, boolean, boolean] = [
    -Infinity,
    Infinity,
    true,
    true,
  ];
  const divisors = new Set<number | bigint>(isInteger ? [1] : []);
  const raise = (bound: number | bigint | undefined, includes: boolean): void => {
    if (bound === undefined || bound < least || (includes && !(bound > least))) return;
    [least, includesLeast] = [bound, includes];
  };
  const lower = (bound: number | bigint | undefined, includes: boolean): void => {
    if (bound === undefined || bound > most || (includes && !(bound < most))) return;
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
    lower(range?.above === undefined ? range?.most : BigInt(range.above) - 1n, true);
    if (range?.integer === true) divisors.add(1);
  }
  return { least, most, includesLeast, includesMost, divisors: [...divisors] };
}

/** The most multiples of a divisor that are tried. Rounding errors of binary fractions make some multiples invalid. */
const MOST_TRIES = 60;

/**
 * Builds a number within its constraints: a `bigint` where all are beyond 2^53.
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
  accepts: (value: number | bigint) => boolean,
): number | bigint | "none" | undefined {
  const { least, most, includesLeast, includesMost } = constraints;
  if (least > most || (!(least < most) && !(includesLeast && includesMost))) return "none";
  if (isBeyondSafe(constraints)) {
    const exact = exactIntegers(constraints, hash);
    const found = exact === "none" ? exact : exact.find(accepts);
    if (found !== undefined) return found;
  }
  const doubles = {
    ...constraints,
    least: doubleWithin(least, 1),
    most: doubleWithin(most, -1),
    divisors: constraints.divisors.map(Number),
  };
  // Some validators test `multipleOf` by dividing binary fractions: 0.29 / 0.01 isn't an integer. Prefer a number that
  // such validators accept, too.
  const isMultipleToAll = (value: number): boolean =>
    doubles.divisors.every((divisor) => Number.isInteger(value / divisor));
  const number = findNumber(doubles, suggestion, hash, (value) => isMultipleToAll(value) && accepts(value));
  const other = typeof number === "number" ? number : findNumber(doubles, suggestion, hash, accepts);
  // Where doubles have gaps, none of them proves nothing.
  return other === "none" && isBeyondSafe(constraints) ? undefined : other;
}

/** Whether a double may miss all numbers within the constraints: those beyond 2^53, or multiples of such a number. */
function isBeyondSafe({ least, most, divisors }: NumberConstraints): boolean {
  return least > Number.MAX_SAFE_INTEGER || most < Number.MIN_SAFE_INTEGER ||
    divisors.some((divisor) => typeof divisor === "bigint");
}

/** The most multiples next to a single bound from which one is chosen. */
const NEAR = 100n;

/**
 * Integers within constraints, without rounding: one at random, and those at the bounds. `"none"` if there is no
 * integer.
 */
function exactIntegers(constraints: NumberConstraints, hash: number): readonly bigint[] | "none" {
  const { least, most, includesLeast, includesMost, divisors } = constraints;
  const step = divisors.filter((divisor) => isOfType(divisor, "integer")).map(BigInt).reduce(exactCommonMultiple, 1n);
  const first = least === -Infinity ? undefined : firstMultiple(least, includesLeast, step);
  const last = most === Infinity ? undefined : -firstMultiple(-most, includesMost, step);
  const from = first ?? (last === undefined ? 0n : last - (NEAR - 1n) * step);
  const to = last ?? from + (NEAR - 1n) * step;
  if (from > to) return divisors.length > 0 ? "none" : [];
  const count = (to - from) / step + 1n;
  const chosen = BigInt(Math.floor(createRandom(hash)() * Number(count < NEAR ? count : NEAR)));
  return [from + chosen * step, from, to];
}

/** The first multiple of `step` from a bound on. */
function firstMultiple(least: number | bigint, includes: boolean, step: bigint): bigint {
  const rounded = typeof least === "bigint" ? least : BigInt(Math.ceil(least));
  const start = !includes && !(rounded > least) ? rounded + 1n : rounded;
  return start + ((-start % step) + step) % step;
}

function exactCommonMultiple(left: bigint, right: bigint): bigint {
  let [divisor, rest] = [left, right];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return left / divisor * right;
}

/** The double that is nearest to a bound, on the side of the numbers that are within: above (1) or below (-1). */
function doubleWithin(bound: number | bigint, side: 1 | -1): number {
  const double = Number(bound);
  const isWithin = side === 1 ? double >= bound : double <= bound;
  return isWithin ? double : double + side * Math.abs(double) * Number.EPSILON * 0.75;
}

/** Constraints whose bounds are doubles. */
interface DoubleConstraints extends NumberConstraints {
  readonly least: number;
  readonly most: number;
  readonly divisors: readonly number[];
}

function findNumber(
  constraints: DoubleConstraints,
  suggestion: number,
  hash: number,
  accepts: (value: number) => boolean,
): number | "none" | undefined {
  const { least, most, includesLeast, includesMost, divisors } = constraints;
  const isWithin = (value: number): boolean =>
    Number.isFinite(value) && (value > least || (includesLeast && value === least)) &&
    (value < most || (includesMost && value === most));
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
