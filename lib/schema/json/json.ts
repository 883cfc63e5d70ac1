import { messageOf } from "../../http/message.ts";
import { jsonFault } from "./json_fault.ts";

/** Limit of the nesting of objects and arrays in a JSON text. */
const MOST_DEPTH = 500;

/** The value of a JSON text, or the reason why there is none. */
export type ParsedJson =
  | { readonly kind: "value"; readonly value: unknown }
  /** `reason` completes a sentence: `is not JSON: Unexpected end of JSON input`. */
  | { readonly kind: "malformed"; readonly reason: string }
  /** The text has more values than are allowed. `reason` completes a sentence: `has more than 10 values`. */
  | { readonly kind: "too-large"; readonly reason: string };

/**
 * Matches texts that may have an integer beyond 2^53, which a double rounds. V8 skips most of a text for 16 digits
 * written so, and looks at each character for `\d{16}`, which takes eight times as long.
 */
const LONG_NUMBER = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;
/** Matches the strings and numbers of a JSON text; of a key, the colon too. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** The most digits of an integer that is kept exactly. */
const MOST_DIGITS = 40;
/**
 * While a text is read or written, an integer stands in it as a string of NUL, `n` and its digits. A string that begins
 * with NUL has an `s` after it meanwhile.
 */
const NUL = "\0";
const NUL_IN_JSON = '"\\u0000';

/**
 * Reads a JSON text, as `JSON.parse()` does, but without rounding: an integer beyond 2^53 becomes a `bigint`.
 *
 * @throws {SyntaxError} If the text isn't JSON.
 */
export function readJsonText(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token, colon?: string) => {
    if (colon !== undefined) return token;
    if (token.startsWith(NUL_IN_JSON)) return `${NUL_IN_JSON}s${token.slice(NUL_IN_JSON.length)}`;
    return exactInteger(token) === undefined ? token : `${NUL_IN_JSON}n${token}"`;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(NUL)) return value;
    return value.startsWith("n", NUL.length) ? BigInt(value.slice(2)) : NUL + value.slice(2);
  });
}

/** The integer that a text stands for, if a double would round it; `undefined` for all other texts. */
export function exactInteger(text: string): bigint | undefined {
  if (text.length < 16 || text.length > MOST_DIGITS || !/^-?[1-9]\d*$/.test(text)) return undefined;
  return String(Number(text)) === text ? undefined : BigInt(text);
}

/**
 * Writes a value as JSON text, as `JSON.stringify()` does, and each `bigint` as a number.
 *
 * @param space The number of spaces of indentation. Default: none, on one line.
 * @param createVisitor Makes a function that gets each value as it is written, and may throw. Called for each attempt,
 * since a value with a `bigint` takes two.
 */
export function writeJson(value: unknown, space?: number, createVisitor?: () => (value: unknown) => void): string {
  const [first, second] = [createVisitor?.(), createVisitor?.()];
  try {
    return JSON.stringify(value, first && ((_, part: unknown) => (first(part), part)), space);
  } catch (error) {
    if (!(error instanceof TypeError && /BigInt/.test(error.message))) throw error;
    const marked = JSON.stringify(value, (_, part: unknown) => {
      second?.(part);
      if (typeof part === "bigint") return `${NUL}n${part}`;
      return typeof part === "string" && part.startsWith(NUL) ? `${NUL}s${part.slice(NUL.length)}` : part;
    }, space);
    return marked.replace(TOKEN, (token, colon?: string) => {
      if (colon !== undefined || !token.startsWith(NUL_IN_JSON)) return token;
      const rest = token.slice(NUL_IN_JSON.length + 1);
      return token.startsWith("n", NUL_IN_JSON.length) ? rest.slice(0, -1) : NUL_IN_JSON + rest;
    });
  }
}

export interface JsonOptions {
  /** The place of the text in its body, for the reason: ` in line 3`. */
  readonly where?: string;
  /**
   * The most values that the text may have. They are counted before the text is parsed, and taken from `left`, so that
   * several texts can share a limit. Default: no limit.
   */
  readonly values?: ValueCount;
}

/**
 * The values that the texts of a body may still have, of `most` in all. A body of several texts takes one for itself, so
 * that the first text isn't taken for the whole body, whose values needn't be counted if it is short.
 */
export interface ValueCount {
  readonly most: number;
  left: number;
}

/** Takes values from a count. Returns `false` if fewer are left. */
export function takeValues(values: ValueCount, count: number): boolean {
  return (values.left -= count) >= 0;
}

/** Says of a body that it has too many values, as the end of a sentence. */
export function tooManyValues({ most }: ValueCount): string {
  return `has more than ${most} values`;
}

/** Parses JSON text. Text nested deeper than 500 levels counts as malformed. */
export function parseJson(text: string, { where = "", values }: JsonOptions = {}): ParsedJson {
  // Counting takes longer than parsing. A text has fewer values than characters, and no more levels than brackets.
  const isShort = values === undefined || (values.left === values.most && text.length < values.most);
  if (!isShort || opensMoreThan(text, MOST_DEPTH)) {
    const size = sizeOfJson(text, { depth: MOST_DEPTH, values: values?.left ?? Infinity });
    if (size.depth > MOST_DEPTH) return { kind: "malformed", reason: `is nested more than ${MOST_DEPTH} deep${where}` };
    if (values !== undefined && !takeValues(values, size.values)) {
      return { kind: "too-large", reason: tooManyValues(values) };
    }
  }
  try {
    return { kind: "value", value: readJsonText(text) };
  } catch (error) {
    const reason = error instanceof SyntaxError ? jsonFault(text) : messageOf(error);
    return { kind: "malformed", reason: `is not JSON${where}: ${reason}` };
  }
}

/** Tells whether a JSON text has more opening brackets than a limit, those in its strings included. */
function opensMoreThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let left = most;
  for (const bracket of "[{") {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}

/** The nesting of a JSON text, and its number of values. */
export interface JsonSize {
  readonly depth: number;
  readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * Measures a JSON text without parsing it: counts the brackets and commas outside of strings. An empty object or array
 * counts as two values, since it costs more than a number. Ends as soon as a limit is exceeded.
 */
export function sizeOfJson(text: string, most: JsonSize): JsonSize {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length && deepest <= most.depth && values <= most.values; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        values++;
        if (++depth > deepest) deepest = depth;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case COMMA:
        values++;
    }
  }
  return { depth: deepest, values };
}

/** Finds the quote that ends the string whose first quote is at an offset; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
