/**
 * Translates the conditions of path keys (queries and headers) to parts of a match (Gateway API, `HTTPQueryParamMatch`
 * and `HTTPHeaderMatch`).
 *
 * @module
 */
import type { ValueMatch } from "./gateway_api.ts";
import type { Profile } from "./rendering.ts";
import type { Condition, PathConditions } from "../../openapi/path_condition.ts";

/** The parts of a match for queries and headers. */
export interface ConditionMatch {
  readonly queryParams: readonly ValueMatch[];
  readonly headers: readonly ValueMatch[];
}

/**
 * Limits of the Gateway API: `matches` is the most queries, and the most headers, of a match. The others are lengths in
 * characters.
 */
const MOST = { matches: 16, name: 256, queryValue: 1024, headerValue: 4096 } as const;

/** Matches a name that a query or a header can have in a match. */
const NAME = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** Matches a query value that all clients write the same way, so that an exact match is enough. */
const UNAMBIGUOUS = /^[-A-Za-z0-9._~]+$/;

/** Matches the metacharacters of regular expressions. */
const METACHARACTERS = /[.*+?^${}()|[\]\\]/g;

/**
 * Matches characters that clients always percent-encode in a query. All other characters may be percent-encoded or not.
 */
const ENCODED = /[&=#+%"<>\s]|[^\x21-\x7e]/;

/**
 * Translates the conditions of a path key to parts of a match. Returns a message if no match can express them.
 *
 * @param profile With `portable`, a match has no regular expressions, because not every gateway supports them.
 */
export function conditionMatchOf(conditions: PathConditions | undefined, profile: Profile): ConditionMatch | string {
  if (conditions === undefined) return { queryParams: [], headers: [] };
  const queryParams = matchesOf(conditions.queries, profile);
  if (typeof queryParams === "string") return queryParams;
  const headers = matchesOf(conditions.headers, profile);
  return typeof headers === "string" ? headers : { queryParams, headers };
}

function matchesOf(conditions: readonly Condition[], profile: Profile): ValueMatch[] | string {
  const byName = new Map<string, Condition>();
  for (const condition of conditions) {
    const known = byName.get(condition.name);
    if (known?.value !== undefined && condition.value !== undefined && known.value !== condition.value) {
      return `a match has at most one value of \`${condition.name}\``;
    }
    if (known?.value === undefined) byName.set(condition.name, condition);
  }
  if (byName.size > MOST.matches) return `a match has at most ${MOST.matches} queries and as many headers`;
  const matches: ValueMatch[] = [];
  for (const condition of byName.values()) {
    const match = matchOf(condition, profile);
    if (typeof match === "string") return match;
    matches.push(match);
  }
  // Sorted by name, so that the order in the definition has no effect on the objects.
  return matches.sort((a, b) => a.name < b.name ? -1 : 1);
}

function matchOf({ in: location, name, value }: Condition, profile: Profile): ValueMatch | string {
  if (!NAME.test(name) || name.length > MOST.name) return `a match can't have the name \`${name}\``;
  const isExact = value !== undefined && value !== "" && (location === "header" || UNAMBIGUOUS.test(value));
  const most = location === "header" ? MOST.headerValue : MOST.queryValue;
  if (!isExact && profile === "portable") {
    return `the standard channel of the Gateway API compares \`${name}\` with one text only, and not with ` +
      (value === undefined ? "any value" : "a text that clients write in several ways");
  }
  const text = isExact ? value : value === undefined ? ".*" : expressionOf(value);
  if (text.length > most) return `the value of \`${name}\` is longer than ${most} characters`;
  return { name, type: isExact ? "Exact" : "RegularExpression", value: text };
}

/**
 * Returns a regular expression for all percent-encoded notations of a query value, because Envoy compares a query as it
 * is written.
 */
function expressionOf(value: string): string {
  let expression = "";
  for (const character of value) {
    if (UNAMBIGUOUS.test(character)) expression += character.replace(METACHARACTERS, "\\$&");
    else if (character === " ") expression += "(?:%20|\\+)";
    else if (ENCODED.test(character)) expression += percentEncoded(character);
    else expression += `(?:${character.replace(METACHARACTERS, "\\$&")}|${percentEncoded(character)})`;
  }
  // The Gateway API doesn't allow an empty value in a match.
  return expression === "" ? "^$" : expression;
}

/**
 * Returns a regular expression for the percent-encoding of a character, with hexadecimal digits in upper or lower case.
 */
function percentEncoded(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")
    .replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
}

/** Tells whether some request may meet the conditions of both path keys. */
export function areCompatible(a: PathConditions | undefined, b: PathConditions | undefined): boolean {
  return !areContrary(a?.queries ?? [], b?.queries ?? []) && !areContrary(a?.headers ?? [], b?.headers ?? []);
}

/** Tells whether two lists of conditions demand different values for one name. */
export function areContrary(a: readonly Condition[], b: readonly Condition[]): boolean {
  return a.some(({ name, value }) =>
    value !== undefined &&
    b.some((other) => other.name === name && other.value !== undefined && other.value !== value)
  );
}
