/**
 * The conditions of path keys as parts of a match: queries and headers (Gateway API, `HTTPQueryParamMatch` and
 * `HTTPHeaderMatch`).
 *
 * @module
 */
import type { ValueMatch } from "./gateway_api.ts";
import type { Profile } from "./rendering.ts";
import type { Condition, PathConditions } from "../../openapi/path_condition.ts";

/** The queries and headers of a match. */
export interface ConditionMatch {
  readonly queryParams: readonly ValueMatch[];
  readonly headers: readonly ValueMatch[];
}

/** The most queries, and the most headers, of a match; the longest name and values, in characters. */
const MOST = { matches: 16, name: 256, queryValue: 1024, headerValue: 4096 } as const;

/** Names of queries and headers that a match can have. */
const NAME = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** Values of queries that all clients write in the same way, so that comparing text is enough. */
const UNAMBIGUOUS = /^[-A-Za-z0-9._~]+$/;

/** Metacharacters of regular expressions. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** Characters that a query has only in percent-encoding: all others are also written as they are. */
const ENCODED = /[&=#+%"<>\s]|[^\x21-\x7e]/;

/**
 * The match of the conditions of a path key, or why there is none.
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
  // In the order of their names: the order in the definition has no effect on the objects.
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

/** A regular expression for the notations of a query's value: Envoy compares queries as they are written. */
function expressionOf(value: string): string {
  let expression = "";
  for (const character of value) {
    if (UNAMBIGUOUS.test(character)) expression += character.replace(SPECIAL, "\\$&");
    else if (character === " ") expression += "(?:%20|\\+)";
    else if (ENCODED.test(character)) expression += percentEncoded(character);
    else expression += `(?:${character.replace(SPECIAL, "\\$&")}|${percentEncoded(character)})`;
  }
  // A match can't have an empty value.
  return expression === "" ? "^$" : expression;
}

/** The percent-encoding of a character, with digits in upper or lower case. */
function percentEncoded(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")
    .replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
}

/** Tells whether a request may fulfil the conditions of two path keys. */
export function areCompatible(a: PathConditions | undefined, b: PathConditions | undefined): boolean {
  return !areContrary(a?.queries ?? [], b?.queries ?? []) && !areContrary(a?.headers ?? [], b?.headers ?? []);
}

/** Tells whether two lists of conditions demand different values of one name. */
export function areContrary(a: readonly Condition[], b: readonly Condition[]): boolean {
  return a.some(({ name, value }) =>
    value !== undefined &&
    b.some((other) => other.name === name && other.value !== undefined && other.value !== value)
  );
}
