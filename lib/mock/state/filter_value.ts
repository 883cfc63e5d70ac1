/**
 * Compares properties of items with the values of query parameters.
 *
 * @module
 */
import { isEqual } from "../../schema/equal.ts";
import { isObject } from "../../schema/node.ts";
import { exactInteger, writeJson } from "../../schema/json.ts";
import { isNumber } from "../../schema/value.ts";

/** The comparison of a filter. `eq` with several values, as in `status=open,closed`, holds if one of them is equal. */
export type Comparison = "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains";

/** Whether the value of an item's property passes a filter. */
export type Test = (found: unknown) => boolean;

/** Limit of the values of one parameter. Further values are ignored. */
export const MOST_WANTED = 1_000;

export function createTest(comparison: Comparison, wanted: unknown): Test {
  switch (comparison) {
    case "eq":
      return createEqualityTest(wanted);
    case "ne": {
      const isSame = createEqualityTest(wanted);
      return (found) => !isSame(found);
    }
    case "contains": {
      const part = String(wanted).toLowerCase();
      return (found) =>
        Array.isArray(found) ? createEqualityTest(wanted)(found) : String(found ?? "").toLowerCase().includes(part);
    }
    default:
      return (found) => found !== undefined && found !== null && isInOrder(compare(found, wanted), comparison);
  }
}

/** Whether the sign of {@linkcode compare} satisfies an ordering. NaN, for incomparable values, satisfies none. */
function isInOrder(sign: number, comparison: "gt" | "gte" | "lt" | "lte"): boolean {
  switch (comparison) {
    case "gt":
      return sign > 0;
    case "gte":
      return sign >= 0;
    case "lt":
      return sign < 0;
    case "lte":
      return sign <= 0;
  }
}

function createEqualityTest(wanted: unknown): Test {
  if (isObject(wanted)) return createPartTest(wanted);
  const list = Array.isArray(wanted) ? wanted.slice(0, MOST_WANTED) : [wanted];
  const texts = new Set(list.map(textOf));
  // A text may list several values, separated by commas: `status=open,closed`.
  const [only] = list;
  const parts = list.length === 1 && typeof only === "string" && only.includes(",")
    ? only.split(",", MOST_WANTED).map((part) => part.trim()).filter((part) => part !== "")
    : [];
  for (const part of parts) texts.add(part);
  const needed = new Set(parts);
  return (found) => {
    if (Array.isArray(found)) return parts.length > 1 ? containsAll(found, needed) : containsOne(found, texts);
    // An absent property passes for `none` and `null`, and for `false`, since an absent flag counts as false.
    if (found === undefined || found === null) return texts.has("none") || texts.has("null") || texts.has("false");
    return isNamed(found, (name) => texts.has(name));
  };
}

/** Whether an array property contains all listed values: `labels=bug,urgent`. Each member is read once. */
function containsAll(members: readonly unknown[], needed: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  return members.some((member) =>
    isNamed(member, (name) => {
      if (needed.has(name)) seen.add(name);
      return seen.size === needed.size;
    })
  );
}

function containsOne(members: readonly unknown[], texts: ReadonlySet<string>): boolean {
  return members.some((member) => isNamed(member, (name) => texts.has(name)));
}

/** An object passes if it contains all members of the object in the parameter: `metadata[color]=red`. */
function createPartTest(wanted: Readonly<Record<string, unknown>>): Test {
  const members = Object.entries(wanted).slice(0, MOST_WANTED);
  return (found) =>
    isObject(found) && members.every(([key, value]) =>
      Object.hasOwn(found, key) &&
      (isEqual(found[key], value) || !isObject(value) && textOf(found[key]) === textOf(value))
    );
}

/** The properties of an object that a text may identify it by: `assignee=octocat` finds `{login: "octocat"}`. */
const NAMES = ["id", "uuid", "name", "slug", "key", "login", "code", "number", "title"];

/** Whether a value passes a test or, for an object, one of its properties in {@linkcode NAMES} does. */
function isNamed(value: unknown, test: (text: string) => boolean): boolean {
  if (!isObject(value)) return test(textOf(value));
  return NAMES.some((name) => Object.hasOwn(value, name) && !isObject(value[name]) && test(textOf(value[name])));
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? writeJson(value) : String(value);
}

const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]{4,20}(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Compares two values: as numbers, as times, or as texts by their UTF-16 code units.
 *
 * @returns Negative, zero or positive; NaN if the values can't be compared.
 */
export function compare(left: unknown, right: unknown): number {
  if (isNumber(left) || isNumber(right)) {
    const [a, b] = [numberOf(left), numberOf(right)];
    return a === undefined || b === undefined ? NaN : a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (typeof left !== "string" || typeof right !== "string") return NaN;
  const [a, b] = [timeOf(left), timeOf(right)];
  return a !== undefined && b !== undefined ? a - b : compareTexts(left, right);
}

export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The milliseconds since the epoch of a date or date-time; `undefined` for other texts. */
export function timeOf(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/**
 * The number in a value or text. A date-time becomes seconds since the epoch, because many definitions have times as
 * such numbers.
 */
function numberOf(value: unknown): number | bigint | undefined {
  if (isNumber(value)) return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const exact = exactInteger(value);
  if (exact !== undefined) return exact;
  const number = Number(value);
  if (!Number.isNaN(number)) return number;
  const time = timeOf(value);
  return time === undefined ? undefined : time / 1000;
}
