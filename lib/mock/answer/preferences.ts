import { isToken } from "../../http/token.ts";
import { parsePrefer } from "../../http/prefer.ts";
import { suggest } from "../../http/message.ts";

/** The preferences of a client for an answer, by the `Prefer` header or by queries such as `__code=404`. */
export interface Preferences {
  readonly code: number | undefined;
  readonly example: string | undefined;
  /** Whether each answer is generated with the next seed, so that successive answers differ. */
  readonly dynamic: boolean | undefined;
  readonly seed: number | undefined;
  /** Number of items in each generated array. */
  readonly arraySize: number | undefined;
}

/** The preferences of a request, and remarks for the log on preferences that can't be honoured. */
export interface RequestPreferences {
  readonly preferences: Preferences;
  /** A sentence for each preference that can't be honoured. */
  readonly remarks: readonly string[];
}

export const NO_PREFERENCES: Preferences = {
  code: undefined,
  example: undefined,
  dynamic: undefined,
  seed: undefined,
  arraySize: undefined,
};

export const NO_REQUEST_PREFERENCES: RequestPreferences = { preferences: NO_PREFERENCES, remarks: [] };

/** The names of gw's own preferences, with their allowed values in words. */
const OWN: Readonly<Record<string, string>> = {
  "code": "a status from 200 to 599",
  "example": "the name of an example",
  "dynamic": "true or false",
  "seed": `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
  "array-size": "a whole number from 0 to 10000",
};

/** The queries with gw's own preferences, such as `__code`. */
export const PREFERENCE_QUERIES: ReadonlySet<string> = new Set(Object.keys(OWN).map((name) => `__${name}`));

/**
 * Preferences that other specifications register. They get no remark: a server may ignore them (RFC 7240, section 2).
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

/** Limit of the characters of a preference that a remark quotes. */
const MOST_REPEATED = 100;
/** Limit of the remarks on one request. */
const MOST_REMARKS = 20;

/**
 * Reads the preferences of a request. An invalid value yields a remark instead of a preference.
 *
 * @param prefer The `Prefer` header (RFC 7240). It takes precedence over the query.
 * @param query The request's query without `?`, of which `__code`, `__example`, `__dynamic`, `__seed` and
 * `__array-size` are read.
 * @param isDeclared Whether the operation declares a parameter. A declared parameter gets no remark.
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
      ...unknownPreferenceRemarks(header, isDeclared),
      ...misspeltQueryRemarks(parameters, isDeclared),
    ].slice(0, MOST_REMARKS),
  };
}

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

function unknownPreferenceRemarks(
  header: ReadonlyMap<string, string>,
  isDeclared: (location: "header", name: string) => boolean,
): string[] {
  const unknown = [...header].filter(([name]) => !Object.hasOwn(OWN, name) && !REGISTERED.has(name));
  // An operation that declares the header `Prefer` may define preferences of its own, so they get no remark.
  if (unknown.length === 0 || isDeclared("header", "prefer")) return [];
  return unknown.map(([name, value]) => {
    const [nearest] = suggest(name, Object.keys(OWN));
    const meant = nearest === undefined ? `gw mock has ${Object.keys(OWN).join(", ")}.` : `Did you mean ${nearest}?`;
    return `Prefer: ${repeated(value === "" ? name : `${name}=${value}`)} is not honoured. ${meant}`;
  });
}

function misspeltQueryRemarks(
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

/** The value of `Preference-Applied` for honoured preferences (RFC 7240, section 3). */
export function formatPreferences({ arraySize, ...preferences }: Preferences): string {
  return Object.entries({ ...preferences, "array-size": arraySize })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${parameterValue(String(value))}`)
    .join(", ");
}

function readBoolean(text: string | undefined): boolean | undefined {
  // `Prefer: dynamic` and `Prefer: dynamic=""` are equivalent (RFC 7240, section 2).
  return text === "true" || text === "" ? true : text === "false" ? false : undefined;
}

/** Writes a preference's value as a token or, if it isn't one, percent-encoded in quotes: a header field is ASCII. */
function parameterValue(value: string): string {
  return isToken(value) ? value : `"${encodeURIComponent(value)}"`;
}

function readInteger(text: string | undefined, least: number, most: number): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? "") ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}
