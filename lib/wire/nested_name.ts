/**
 * Names of fields and query parameters that lead into a value: `name[a][b]`, `name[]`, `name[0].a`, `name.a`.
 *
 * @module
 */
import { firstMatches } from "./matches.ts";
import type { ValueFormats } from "./value_format.ts";

/** The texts of fields as written, by the names of the fields, as `splitQuery` and `splitCookies` return them. */
export interface Written extends ReadonlyMap<string, readonly string[]> {
  /** The name of each text in the order of the request, where the order is known. */
  readonly order?: readonly string[];
}

/** The names of a request's fields. */
type Names = Pick<ReadonlyMap<string, unknown>, "keys">;

/** A field of a value: the tokens lead to its place; an empty token appends to a list. */
export interface NestedField {
  readonly name: string;
  readonly tokens: readonly string[];
  readonly text: string;
}

/** The character that begins the first token of a name: `[` or `.`. */
export type Opening = "[" | ".";

/**
 * The most fields that a form may have, as in Go. A nested field takes more memory than its text, since each level of
 * its name makes an object.
 */
export const MOST_FIELDS = 10_000;
export const TOO_MANY_FIELDS = `has more than ${MOST_FIELDS} fields`;

/** The most `[` and `.` of a field's name at which the name of a value is looked for. */
const MOST_OPENINGS = 32;

/** The most tokens of a name. A name with more tokens is no nested name. */
const MOST_LEVELS = 16;

/**
 * The tokens of a name.
 *
 * @param rest The name after the value's own: `[a][b]`, `[]`, `[0].a` or `.a`.
 * @returns `undefined` where `rest` has none of these forms, or too many tokens.
 */
export function tokensOf(rest: string): string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < rest.length;) {
    const isBracket = rest[at] === "[";
    if (!isBracket && rest[at] !== "." || tokens.length === MOST_LEVELS) return undefined;
    const end = isBracket ? rest.indexOf("]", at) : endOfMember(rest, at + 1);
    const token = rest.slice(at + 1, end);
    if (isBracket ? end < 0 || token.includes("[") : token === "") return undefined;
    tokens.push(token);
    at = isBracket ? end + 1 : end;
  }
  return tokens;
}

/** Where the member `a` of `.a.b` or `.a[b]` ends. */
function endOfMember(rest: string, start: number): number {
  let end = start;
  while (end < rest.length && rest[end] !== "." && rest[end] !== "[") end++;
  return end;
}

/** The name of a value without the brackets of its items, which some definitions write: `ids` for `ids[]`. */
export function withoutBrackets(name: string): string {
  return name.endsWith("[]") && name.length > 2 ? name.slice(0, -2) : name;
}

/**
 * The characters that may begin the first token of a name in these formats: `.` only if the client uses the format
 * `dots`.
 */
export function openingsOf({ array, object }: ValueFormats): readonly Opening[] {
  return array === "dots" || object === "dots" ? ["[", "."] : ["["];
}

/**
 * Finds the names of a value's fields, with their tokens.
 *
 * @param name The value's own name.
 * @param opening What the first token begins with.
 * @param others Names of other values, which are not fields of this one.
 */
export function nestedNames(
  written: Names,
  name: string,
  opening: Opening,
  others: ReadonlySet<string>,
): Map<string, string[]> {
  const base = withoutBrackets(name);
  const found = new Map<string, string[]>();
  for (const candidate of namesByStart(written).get(`${base}${opening}`) ?? []) {
    if (others.has(candidate) && candidate !== name) continue;
    const tokens = tokensOf(candidate.slice(base.length));
    if (tokens !== undefined) found.set(candidate, tokens);
  }
  return found;
}

/**
 * Lists the fields of a value. Where the value has lists of objects, the fields are in the order of the request, which
 * tells the item of each field.
 */
export function nestedFields(
  written: Written,
  name: string,
  opening: Opening,
  others: ReadonlySet<string>,
): NestedField[] {
  const tokensByName = nestedNames(written, name, opening, others);
  // The order across names matters only in lists of objects, where it tells the item of a field:
  // `a[][b]=1&a[][b]=2&a[][c]=3`.
  const hasLists = [...tokensByName.values()].some((tokens) => tokens.slice(0, -1).includes(""));
  return hasLists && written.order !== undefined
    ? inOrder(written, written.order, tokensByName)
    : [...tokensByName].flatMap(([name, tokens]) => (written.get(name) ?? []).map((text) => ({ name, tokens, text })));
}

function inOrder(
  written: Written,
  order: readonly string[],
  tokensByName: ReadonlyMap<string, string[]>,
): NestedField[] {
  const taken = new Map<string, number>();
  return order.flatMap((name) => {
    const tokens = tokensByName.get(name);
    if (tokens === undefined) return [];
    const index = taken.get(name) ?? 0;
    taken.set(name, index + 1);
    return [{ name, tokens, text: written.get(name)?.[index] ?? "" }];
  });
}

const INDEXES = new WeakMap<Names, ReadonlyMap<string, readonly string[]>>();

/**
 * The names of a request's fields by their starts up to each `[` and `.`: `a[b].c` is among those of `a[` and `a[b].`.
 * Memoised, so that no value searches all names.
 */
function namesByStart(written: Names): ReadonlyMap<string, readonly string[]> {
  const known = INDEXES.get(written);
  if (known !== undefined) return known;
  const index = new Map<string, string[]>();
  for (const name of written.keys()) {
    for (const end of openingsIn(name)) {
      const start = name.slice(0, end + 1);
      const names = index.get(start);
      if (names === undefined) index.set(start, [name]);
      else names.push(name);
    }
  }
  INDEXES.set(written, index);
  return index;
}

/** The places of the first `[` and `.` in a name. */
function openingsIn(name: string): number[] {
  return firstMatches(name, /[[.]/g, MOST_OPENINGS).map(({ index }) => index);
}
