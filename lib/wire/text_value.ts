/**
 * Converts untyped texts, such as query parameters and form fields, to the types of a schema.
 *
 * @module
 */
import type { Hints } from "../schema/hints.ts";
import type { Type } from "../schema/schema.ts";
import { Chooser, inside, MOST_SEARCHED, type ValueBranch } from "./chooser.ts";
import { fromJson } from "./json.ts";
import { type DecodedBody, MOST_VALUES } from "./body.ts";
import type { ValidatorLoader } from "./chooser.ts";
import { exactInteger } from "../schema/json/json.ts";

/** An untyped value: texts, in arrays and objects of any depth, before they are converted to the types of a schema. */
export type Text = string | readonly Text[] | { readonly [name: string]: Text } | TextFields | Typed;

/** The texts of all fields with one name. They are the items of an array; a single text may also be another value. */
export class TextFields {
  constructor(readonly texts: readonly string[]) {}
}

/** A part of an untyped value that has its type already, because it was parsed as JSON, for example. */
export class Typed {
  constructor(readonly value: unknown) {}
}

/** Makes an object of texts. `Object.fromEntries` makes an own property also of the name `__proto__`. */
export function textObject(members: Iterable<readonly [string, Text]>): { [name: string]: Text } {
  return Object.fromEntries(members);
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Texts that are converted to a number where the schema doesn't allow a string, such as `+1` and `007`. */
const ANY_NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Converts an untyped value to the types of a schema: `3` to a number where the schema has the type `integer`, `true`
 * to a boolean. Text that doesn't look like the type stays a string, which the validator refuses.
 */
export function toValue(text: Text, hints: Hints): unknown {
  if (typeof text === "string") return toScalar(text, hints);
  if (text instanceof Typed) return text.value;
  if (text instanceof TextFields) {
    const [only = ""] = text.texts;
    if (hints.types.has("array")) return toValue(text.texts, hints);
    return text.texts.length === 1 ? toScalar(only, hints) : text.texts;
  }
  const items = itemsOf(text, hints);
  if (items !== undefined) return items.map((item, index) => toValue(item, hints.item(index)));
  return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, toValue(value, hints.property(name))]));
}

/**
 * The items of an array. An object whose names are indexes (`{ 0: a, 1: b }`) counts as an array where the schema
 * allows an array but no object.
 */
function itemsOf(
  text: readonly Text[] | { readonly [name: string]: Text },
  { types }: Hints,
): readonly Text[] | undefined {
  if (isList(text)) return text;
  return types.has("array") && !types.has("object") ? indexedItems(text) : undefined;
}

function isList(text: Text): text is readonly Text[] {
  return Array.isArray(text);
}

function indexedItems(text: { readonly [name: string]: Text }): readonly Text[] | undefined {
  const members = Object.entries(text);
  if (members.length === 0 || !members.every(([name]) => /^[0-9]+$/.test(name))) return undefined;
  return members.map(([, value]) => value);
}

/** Converts a text to one of the types that a schema allows, as {@linkcode toValue} does. */
export function toScalar(text: string, { types }: Pick<Hints, "types">): unknown {
  if (types.has("integer") || types.has("number")) {
    const exact = exactInteger(text);
    if (exact !== undefined) return exact;
    const pattern = types.has("string") ? JSON_NUMBER : ANY_NUMBER;
    const number = pattern.test(text) ? Number(text) : NaN;
    if (Number.isFinite(number)) return number;
  }
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("null") && (text === "null" || text === "" && !types.has("string"))) return null;
  return toCompound(text, types) ?? text;
}

/**
 * Parses a text as JSON where the schema allows an object or array. For an object within an object no parameter style
 * defines a format, and most clients write JSON.
 */
function toCompound(text: string, types: ReadonlySet<Type>): unknown {
  const [first] = /\S/.exec(text) ?? [];
  const mayBe = types.has("object") && first === "{" || types.has("array") && first === "[";
  const read = mayBe ? fromJson(text, { values: { most: MOST_VALUES, left: MOST_VALUES } }) : undefined;
  return read?.kind === "value" ? read.value : undefined;
}

/**
 * Counts the values that a text may have as an array or object: as JSON, or with delimiters, also percent-encoded ones.
 * A text that the schema allows as neither is one value.
 */
export function countValues(text: string, { types }: Pick<Hints, "types">): number {
  let count = 1;
  if (types.has("array") || types.has("object")) { for (const _ of text.matchAll(DELIMITER)) count++; }
  return count;
}

const DELIMITER = /[,|[{ +]|%(?:20|2c|7c|5b|7b)/gi;

/** Types, besides `string`, that a text may be converted to where the schema allows any type. */
const SCALARS: ReadonlySet<Type> = new Set(["number", "boolean", "null"]);
const ALL: ReadonlySet<Type> = new Set([...SCALARS, "array", "object"]);

/**
 * Converts an untyped value by the hints of its schema. Call `otherwise`, which searches for another value, only if the
 * schema refuses `value`.
 */
export function decodeByHints(text: Text, hints: Hints, validators: ValidatorLoader): DecodedBody {
  const value = toValue(text, hints);
  if (hints.alternatives.length === 0) return { kind: "value", value };
  return { kind: "value", value, otherwise: () => findValue(text, hints, validators) };
}

/**
 * Searches for a value that an untyped value may stand for and that the schema allows: tries each part as each type,
 * and by each branch of its schema. The search has a budget, so it may miss a value.
 *
 * @returns The value found; else the value by the hints.
 */
export async function findValue(text: Text, hints: Hints, validators: ValidatorLoader): Promise<unknown> {
  const size = sizeOf(text);
  if (size > MOST_SEARCHED) return toValue(text, hints);
  return read(new Chooser(size, await validators.load(), "thorough"), text, { hints, open: "text" });
}

function sizeOf(text: Text): number {
  if (typeof text === "string" || text instanceof Typed) return 1;
  if (text instanceof TextFields) return text.texts.length;
  return Object.values(text).reduce((size: number, part: Text) => size + sizeOf(part), 1);
}

function read(chooser: Chooser, text: Text, branch: ValueBranch): unknown {
  if (typeof text === "string") return chooser.chooseValue(scalarsOf(text, branch), branch.hints);
  if (text instanceof Typed) return text.value;
  // Memoises readings by other branches. The reading by `branch` itself isn't memoised here, since the value that is
  // finally chosen for `branch` is memoised below.
  const attempt = (attempted: ValueBranch): unknown =>
    attempted.hints === branch.hints && attempted.open === branch.open
      ? readParts(chooser, text, attempted)
      : chooser.memoise(text, attempted, () => readParts(chooser, text, attempted));
  return chooser.memoise(
    text,
    branch,
    () => attempt(chooser.choose(branch, [branch.hints, ...branch.hints.branches], attempt)),
  );
}

function readParts(chooser: Chooser, text: Exclude<Text, string | Typed>, branch: ValueBranch): unknown {
  const { hints } = branch;
  const readItems = (items: readonly Text[]): unknown[] =>
    items.map((item, index) => read(chooser, item, inside(branch, hints.item(index))));
  if (text instanceof TextFields) {
    const { texts } = text;
    if (texts.length !== 1) return readItems(texts);
    // An array in one field is JSON only where an Encoding Object says so.
    const single = scalarsOf(texts[0] ?? "", branch).filter((value) => !Array.isArray(value));
    const values = hints.types.has("array") ? [readItems(texts), ...single] : [...single, readItems(texts)];
    return chooser.chooseValue(values, hints);
  }
  if (isList(text)) return readItems(text);
  const items = indexedItems(text);
  const object = (): unknown =>
    Object.fromEntries(
      Object.entries(text).map(([name, value]) => [name, read(chooser, value, inside(branch, hints.property(name)))]),
    );
  if (items === undefined) return object();
  return chooser.chooseValue(
    itemsOf(text, hints) === undefined ? [object(), readItems(items)] : [readItems(items), object()],
    hints,
  );
}

/** The values that a text may stand for, the likeliest first. */
export function scalarsOf(text: string, { hints, open }: ValueBranch): unknown[] {
  const likely = open === "text" ? hints : hints.types.size === 0 ? { types: SCALARS } : hints;
  const values = [
    open === "any" && hints.types.size > 0 ? text : toScalar(text, likely),
    ...[...ALL].map((type) => toScalar(text, { types: new Set([type]) })),
    text,
  ];
  const known = new Set<unknown>();
  return values.filter((value) => !known.has(value) && known.add(value));
}
