/**
 * Parses nested names of form fields and query parameters: `name[a][b]`, `name[]`, `name[0].a`, `name.a`. The tokens
 * after the value's own name (`a`, `b`) are keys of objects or indexes of arrays.
 *
 * @module
 */
import type { ValueFormats } from "./value_format.ts";

/** The texts of a query, a cookie or a form, not yet percent-decoded, by name. */
export interface Written extends ReadonlyMap<string, readonly string[]> {
  /** The names in the order of the request, repeated names repeatedly; absent where the order is unknown. */
  readonly order?: readonly string[];
}

type Names = Pick<ReadonlyMap<string, unknown>, "keys">;

/**
 * A field with a nested name. The tokens are the path from the value to the field's text; an empty token appends an
 * item.
 */
export interface NestedField {
  readonly name: string;
  readonly tokens: readonly string[];
  readonly text: string;
}

/** The character that begins a token: `[` of `name[a]`, or `.` of `name.a`. */
export type Opening = "[" | ".";

/**
 * Limit of the fields of a form; Go has the same. Each level of a nested name makes an object, so that fields take far
 * more memory than their text.
 */
export const MOST_FIELDS = 10_000;
export const TOO_MANY_FIELDS = `has more than ${MOST_FIELDS} fields`;

/** Limit of the prefixes of one name in the index of names. Each prefix ends in `[` or `.`. */
const MOST_OPENINGS = 32;

/** Limit of the tokens in a nested name. A name with more tokens isn't parsed. */
const MOST_LEVELS = 16;

/**
 * Parses the tokens of a nested name.
 *
 * @param rest The nested name without the value's own name: `[a][b]`, `[]`, `[0].a` or `.a`.
 * @returns `undefined` where `rest` has another form, or too many tokens.
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

function endOfMember(rest: string, start: number): number {
  let end = start;
  while (end < rest.length && rest[end] !== "." && rest[end] !== "[") end++;
  return end;
}

/** Removes the brackets that some definitions have in the name of an array: `ids` for `ids[]`. */
export function withoutBrackets(name: string): string {
  return name.endsWith("[]") && name.length > 2 ? name.slice(0, -2) : name;
}

/**
 * The characters that may begin a token. A `.` begins one only if the client uses the format `dots`, since it may also
 * be part of an ordinary name.
 */
export function openingsOf({ array, object }: ValueFormats): readonly Opening[] {
  return array === "dots" || object === "dots" ? ["[", "."] : ["["];
}

/**
 * Finds the nested names of a value in a query or form, with their tokens.
 *
 * @param name The value's own name, such as `ids` for `ids[0]`.
 * @param opening The character that begins the first token.
 * @param others Names of other values, which aren't nested names of this value.
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
 * Lists the fields of a value. Where the value has arrays of objects, the fields are in the order of the request, which
 * determines the item that a field belongs to.
 */
export function nestedFields(
  written: Written,
  name: string,
  opening: Opening,
  others: ReadonlySet<string>,
): NestedField[] {
  const tokensByName = nestedNames(written, name, opening, others);
  // Only in arrays of objects the order of different names matters: `a[][b]=1&a[][b]=2&a[][c]=3` has `c` in the second
  // item.
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
 * An index of the names by each prefix that ends in `[` or `.`: `a[b].c` is found by `a[` and by `a[b].`. Otherwise
 * each declared value would search all names of the request.
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

/** The offsets of the first characters that begin a token. */
function openingsIn(name: string): number[] {
  const found: number[] = [];
  for (const { index } of name.matchAll(/[[.]/g)) if (found.push(index) >= MOST_OPENINGS) break;
  return found;
}
