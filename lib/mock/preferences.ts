import { parsePrefer } from "../http/prefer.ts";

/** What a client asks of an answer: by the `Prefer` header, or by queries such as `__code=404`. */
export interface Preferences {
  /** Status code, 100-599. */
  readonly code: number | undefined;
  /** Name of an example. */
  readonly example: string | undefined;
  /** Whether each answer is generated anew. */
  readonly dynamic: boolean | undefined;
  /** Seed of a generated body. */
  readonly seed: number | undefined;
  /** Number of items of each generated array. */
  readonly arraySize: number | undefined;
}

/** The preference of a client that has none. */
export const NO_PREFERENCES: Preferences = {
  code: undefined,
  example: undefined,
  dynamic: undefined,
  seed: undefined,
  arraySize: undefined,
};

/**
 * Reads the preferences of a request. A value that can't be read is no preference.
 *
 * @param prefer The `Prefer` header (RFC 7240); it goes before the query.
 * @param query Query of the request without `?`: `__code`, `__example`, `__dynamic`, `__seed` and `__array-size` count.
 */
export function readPreferences(prefer: string | null, query: string): Preferences {
  if (prefer === null && !query.includes("__")) return NO_PREFERENCES;
  const header = parsePrefer(prefer ?? "");
  const parameters = new URLSearchParams(query);
  const written = (name: string): string | undefined => header.get(name) ?? parameters.get(`__${name}`) ?? undefined;
  const preferences: Preferences = {
    code: readInteger(written("code"), 100, 599),
    example: written("example") || undefined,
    dynamic: readBoolean(written("dynamic")),
    seed: readInteger(written("seed"), 0, Number.MAX_SAFE_INTEGER),
    arraySize: readInteger(written("array-size"), 0, 10_000),
  };
  return Object.values(preferences).every((value) => value === undefined) ? NO_PREFERENCES : preferences;
}

/** The preferences as the value of a `Preference-Applied` header (RFC 7240, section 3). */
export function formatPreferences({ arraySize, ...preferences }: Preferences): string {
  return Object.entries({ ...preferences, "array-size": arraySize })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${quoteWhereNeeded(String(value))}`)
    .join(", ");
}

function readBoolean(text: string | undefined): boolean | undefined {
  // `Prefer: dynamic` without a value is the same as with an empty one.
  return text === "true" || text === "" ? true : text === "false" ? false : undefined;
}

function quoteWhereNeeded(value: string): string {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(value) ? value : `"${encodeURIComponent(value)}"`;
}

function readInteger(text: string | undefined, least: number, most: number): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? "") ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}
