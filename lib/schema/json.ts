import { messageOf } from "../http/message.ts";
import { jsonFault } from "./json_fault.ts";

/** Limit of the nesting of objects and arrays in a JSON text. */
const MOST_DEPTH = 500;

/** The value of a JSON text, or the reason why the text isn't JSON. */
export type ParsedJson =
  | { readonly kind: "value"; readonly value: unknown }
  /** `reason` completes a sentence: `is not JSON: Unexpected end of JSON input`. */
  | { readonly kind: "malformed"; readonly reason: string };

/** Matches texts that may have an integer beyond 2^53, which a double rounds. */
const LONG_NUMBER = /\d{16}/;
/** Matches the strings and numbers of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** The most digits of an integer that is kept exactly. */
const MOST_DIGITS = 40;
/** The beginning of a string that stands for an integer while a text is read or written. */
const MARK = "\0int:";
const MARKED = /^\0int:(-?\d{16,40})$/;
const MARKED_IN_JSON = /"\\u0000int:(-?\d+)"/g;

/**
 * Reads a JSON text, as `JSON.parse()` does, but without rounding: an integer beyond 2^53 becomes a `bigint`.
 *
 * @throws {SyntaxError} If the text isn't JSON.
 */
export function readJsonText(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => exactInteger(token) === undefined ? token : `"\\u0000int:${token}"`);
  return JSON.parse(marked, (_, value: unknown) => {
    const [, digits] = typeof value === "string" && value.startsWith(MARK) ? MARKED.exec(value) ?? [] : [];
    return digits === undefined ? value : BigInt(digits);
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
 */
export function writeJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space);
  } catch (error) {
    if (!(error instanceof TypeError && /BigInt/.test(error.message))) throw error;
    const mark = (_: string, part: unknown): unknown => typeof part === "bigint" ? `${MARK}${part}` : part;
    return JSON.stringify(value, mark, space).replace(MARKED_IN_JSON, "$1");
  }
}

/**
 * Parses JSON text. Text nested deeper than 500 levels counts as malformed.
 *
 * @param where The place of the text in its body, for `reason`: ` in line 3`.
 */
export function parseJson(text: string, where = ""): ParsedJson {
  try {
    const value = readJsonText(text);
    if (text.length > 2 * MOST_DEPTH && opensMoreThan(text, MOST_DEPTH) && isDeeper(value, MOST_DEPTH)) {
      return { kind: "malformed", reason: `is nested more than ${MOST_DEPTH} deep${where}` };
    }
    return { kind: "value", value };
  } catch (error) {
    const reason = error instanceof SyntaxError ? jsonFault(text) : messageOf(error);
    return { kind: "malformed", reason: `is not JSON${where}: ${reason}` };
  }
}

/**
 * Whether a text has so many opening brackets that it may be nested too deep. Counting brackets is cheap; only a text
 * with too many needs a walk through its parsed value.
 */
function opensMoreThan(text: string, most: number): boolean {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit === 0x5b || unit === 0x7b) && ++opened > most) return true;
  }
  return false;
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((part) => typeof part === "object" && part !== null ? Object.values(part) : []);
  }
  return false;
}
