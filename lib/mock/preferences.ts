import { isToken } from "../http/token.ts";
import { parsePrefer } from "../http/prefer.ts";
import { suggest } from "../http/message.ts";

/** The preferences of a client for an answer: by the `Prefer` header, or by queries such as `__code=404`. */
export interface Preferences {
  /** Status code, 200-599. */
  readonly code: number | undefined;
  /** Name of an example. */
  readonly example: string | undefined;
  /** Whether each answer is generated with the next seed. */
  readonly dynamic: boolean | undefined;
  /** Seed of a generated body. */
  readonly seed: number | undefined;
  /** Number of items of each generated array. */
  readonly arraySize: number | undefined;
}

/** The preferences of a request, and remarks on those that can't be honoured. */
export interface RequestPreferences {
  readonly preferences: Preferences;
  /** A sentence for each preference that can't be honoured. */
  readonly remarks: readonly string[];
}

/** The preferences of a client that has none. */
export const NO_PREFERENCES: Preferences = {
  code: undefined,
  example: undefined,
  dynamic: undefined,
  seed: undefined,
  arraySize: undefined,
};

/** The preferences of a request that has none. */
export const NO_REQUEST_PREFERENCES: RequestPreferences = { preferences: NO_PREFERENCES, remarks: [] };

/** The names of gw's own preferences, and the values that each takes. */
const OWN: Readonly<Record<string, string>> = {
  "code": "a status from 200 to 599",
  "example": "the name of an example",
  "dynamic": "true or false",
  "seed": `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
  "array-size": "a whole number from 0 to 10000",
};

/** The queries by which clients ask for gw's own preferences, such as `__code`. */
export const PREFERENCE_QUERIES: ReadonlySet<string> = new Set(Object.keys(OWN).map((name) => `__${name}`));

/**
 * Preferences that other specifications register. A server may ignore them without a word (RFC 7240, section 2).
 *
 * @see {@link https://www.iana.org/assignments/http-parameters HTTP Preferences}
 */
const REGISTERED: ReadonlySet<string> = new Set([
  "depth-noroot",
  "handling",
  "odata.allow-entityreferences",
  "odata.callback",
  "odata.continue-on-error",
  "odata.include-annotations",
  "odata.maxpagesize",
  "odata.track-changes",
  "omit-values",
  "respond-async",
  "return",
  "safe",
  "wait",
]);

/** Most characters of a preference that a remark repeats. */
const MOST_REPEATED = 100;
/** Most remarks on one request. */
const MOST_REMARKS = 20;

/**
 * Reads the preferences of a request. A value that can't be read makes a remark instead of a preference.
 *
 * @param prefer The `Prefer` header (RFC 7240); takes precedence over the query.
 * @param query Query of the request without `?`: `__code`, `__example`, `__dynamic`, `__seed` and `__array-size` count.
 * @param isDeclared Whether the operation declares a parameter: such a parameter gets no remark.
 */
export function readPreferences(
  prefer: string | null,
  query: string,
  isDeclared: (location: "header" | "query", name: string) => boolean = () => false,
): RequestPreferences {
  const header = parsePrefer(prefer ?? "");
  const parameters = new URLSearchParams(query);
  const written = (name: string): string | undefined => header.get(name) ?? parameters.get(`__${name}`) ?? undefined;
  const preferences: Preferences = {
    code: readInteger(written("code"), 200, 599),
    example: written("example") || undefined,
    dynamic: readBoolean(written("dynamic")),
    seed: readInteger(written("seed"), 0, Number.MAX_SAFE_INTEGER),
    arraySize: readInteger(written("array-size"), 0, 10_000),
  };
  return {
    preferences: Object.values(preferences).every((value) => value === undefined) ? NO_PREFERENCES : preferences,
    remarks: [
      ...valueRemarks(header, parameters, preferences),
      ...headerRemarks(header, isDeclared),
      ...queryRemarks(parameters, isDeclared),
    ].slice(0, MOST_REMARKS),
  };
}

/** Remarks on preferences of gw whose value is invalid. */
function valueRemarks(
  header: ReadonlyMap<string, string>,
  parameters: URLSearchParams,
  { arraySize, ...preferences }: Preferences,
): string[] {
  const read: Readonly<Record<string, unknown>> = { ...preferences, "array-size": arraySize };
  return Object.entries(OWN).flatMap(([name, wanted]) => {
    const inHeader = header.get(name);
    const written = inHeader ?? parameters.get(`__${name}`);
    if (written === null || read[name] !== undefined) return [];
    const where = inHeader === undefined ? `The query __${name}` : `Prefer: ${name}`;
    return [`${where}=${repeated(written)} is not honoured: ${name} is ${wanted}.`];
  });
}

/** Remarks on preferences in the `Prefer` header that gw doesn't define. */
function headerRemarks(
  header: ReadonlyMap<string, string>,
  isDeclared: (location: "header", name: string) => boolean,
): string[] {
  const unknown = [...header].filter(([name]) => !Object.hasOwn(OWN, name) && !REGISTERED.has(name));
  // No remark if the operation declares the header `Prefer`: it may define preferences of its own.
  if (unknown.length === 0 || isDeclared("header", "prefer")) return [];
  return unknown.map(([name, value]) => {
    const [nearest] = suggest(name, Object.keys(OWN));
    const meant = nearest === undefined ? `gw mock has ${Object.keys(OWN).join(", ")}.` : `Did you mean ${nearest}?`;
    return `Prefer: ${repeated(value === "" ? name : `${name}=${value}`)} is not honoured. ${meant}`;
  });
}

/** Remarks on queries that look like a preference that was misspelt. */
function queryRemarks(
  parameters: URLSearchParams,
  isDeclared: (location: "query", name: string) => boolean,
): string[] {
  return [...new Set(parameters.keys())].flatMap((name) => {
    if (!name.startsWith("__") || PREFERENCE_QUERIES.has(name)) return [];
    const [nearest] = suggest(name, PREFERENCE_QUERIES);
    if (nearest === undefined || isDeclared("query", name)) return [];
    return [`The query ${repeated(name)} is not honoured. Did you mean ${nearest}?`];
  });
}

function repeated(text: string): string {
  return text.length > MOST_REPEATED ? `${text.slice(0, MOST_REPEATED)}…` : text;
}

/** The preferences as the value of a `Preference-Applied` header (RFC 7240, section 3). */
export function formatPreferences({ arraySize, ...preferences }: Preferences): string {
  return Object.entries({ ...preferences, "array-size": arraySize })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${parameterValue(String(value))}`)
    .join(", ");
}

function readBoolean(text: string | undefined): boolean | undefined {
  // `Prefer: dynamic` and `Prefer: dynamic=""` mean the same (RFC 7240, section 2).
  return text === "true" || text === "" ? true : text === "false" ? false : undefined;
}

/** A token as it is; any other text percent-encoded in quotes, as a field carries nothing beyond ASCII. */
function parameterValue(value: string): string {
  return isToken(value) ? value : `"${encodeURIComponent(value)}"`;
}

function readInteger(text: string | undefined, least: number, most: number): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? "") ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}
