/**
 * Compares properties of items with the values of query parameters.
 *
 * @module
 */
import type { ComparisonName } from "../../../names/list_names.ts";
import { isEqual } from "../../../schema/json/equal.ts";
import { isObject } from "../../../schema/json/node.ts";
import { exactInteger, writeJson } from "../../../schema/json/json.ts";
import { isNumber } from "../../../schema/json/value.ts";

/** Whether the value of an item's property passes a filter. */
export type Test = (found: unknown) => boolean;

/** Limit of the values of one parameter. Further values are ignored. */
export const MOST_WANTED = 1_000;

export function createTest(comparison: ComparisonName, wanted: unknown): Test {
  switch (comparison) {
    case "eq":
      return createEqualityTest(wanted);
    case "ne":
      return not(createEqualityTest(wanted));
    case "contains":
      return createTextTest(wanted, (text, part) => text.includes(part));
    case "lacks":
      return not(createTextTest(wanted, (text, part) => text.includes(part)));
    case "startsWith":
      return createTextTest(wanted, (text, part) => text.startsWith(part));
    case "endsWith":
      return createTextTest(wanted, (text, part) => text.endsWith(part));
    case "like":
      return createTextTest(wanted, matchesPattern);
    case "all": {
      const needed = new Set((Array.isArray(wanted) ? wanted.slice(0, MOST_WANTED) : [wanted]).map(textOf));
      return (found) => needed.size === 0 || Array.isArray(found) && containsAll(found, needed);
    }
    case "null":
      return isFalse(wanted) ? not(isAbsent) : isAbsent;
    case "notNull":
      return isFalse(wanted) ? isAbsent : not(isAbsent);
    default:
      return (found) => !isAbsent(found) && isInOrder(compare(found, wanted), comparison);
  }
}

function not(test: Test): Test {
  return (found) => !test(found);
}

export function isAbsent(found: unknown): boolean {
  return found === undefined || found === null;
}

function isFalse(wanted: unknown): boolean {
  return wanted === false || wanted === "false" || wanted === "0" || wanted === 0;
}

/** Tests a text, or the members of an array, regardless of case. */
function createTextTest(wanted: unknown, test: (text: string, part: string) => boolean): Test {
  const part = textOf(wanted).toLowerCase();
  const passes = (found: unknown): boolean => isNamed(found, (name) => test(name.toLowerCase(), part));
  return (found) => !isAbsent(found) && (Array.isArray(found) ? found.some(passes) : passes(found));
}

/** Whether a text matches a pattern in which `%` and `*` stand for any text. A pattern without them is contained. */
function matchesPattern(text: string, pattern: string): boolean {
  const pieces = pattern.split(/[%*]/, MOST_WANTED);
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text.includes(first);
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Limits of the texts of an item that are searched, and of their nesting. */
const MOST_TEXTS = 500;
const MOST_LEVELS = 4;

/** Whether each word of a search is contained in a text of the item, regardless of case. */
export function createItemSearch(wanted: string): Test {
  const words = wanted.toLowerCase().split(/\s+/, 50).filter((word) => word !== "");
  return (item) => {
    const texts: string[] = [];
    collectTexts(item, texts, 0);
    return words.every((word) => texts.some((text) => text.includes(word)));
  };
}

function collectTexts(value: unknown, texts: string[], level: number): void {
  if (texts.length >= MOST_TEXTS || level > MOST_LEVELS) return;
  if (typeof value === "string") texts.push(value.toLowerCase());
  else if (isNumber(value)) texts.push(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) collectTexts(part, texts, level + 1);
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
