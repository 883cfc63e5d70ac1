/**
 * Makes the matches of an entry: its path with each of its methods, and with CORS preflight requests if the gateway
 * doesn't add a match for these.
 *
 * @module
 */
import { conditionMatchOf } from "./condition_match.ts";
import type { RouteMatch, ValueMatch } from "./gateway_api.ts";
import { eitherEndMatchOf, type PathMatch } from "./path_match.ts";
import { orderedMatchOf, type PathOrder } from "./path_order.ts";
import { type PathPattern, withFinalSlash } from "./path_pattern.ts";
import type { Profile } from "./rendering.ts";
import type { RouteEntry } from "./route_entry.ts";
import { sortedJson } from "../../gateway/hash.ts";

/** What the matches of each entry depend on, apart from the entry itself. */
export interface MatchRules {
  readonly order: PathOrder;
  readonly profile: Profile;
  /**
   * The shapes of paths whose operations have different CORS settings, or conditions on headers, which preflight
   * requests don't have. Each operation of such a path needs a preflight match of its own.
   */
  readonly mixedCors: ReadonlySet<string>;
}

/** Collects from all entries of a plan what the matches of each entry depend on. */
export function matchRulesOf(entries: readonly RouteEntry[], order: PathOrder, profile: Profile): MatchRules {
  const settings = new Map<string, Set<string>>();
  const conditioned = new Set<string>();
  for (const entry of entries) {
    if (entry.isUndeclared === true) continue;
    const known = settings.get(entry.pattern.shape) ?? new Set();
    settings.set(entry.pattern.shape, known.add(sortedJson(corsOf(entry) ?? null)));
    if ((entry.conditions?.headers.length ?? 0) > 0) conditioned.add(entry.pattern.shape);
  }
  const mixed = [...settings].filter(([, { size }]) => size > 1).map(([shape]) => shape);
  return { order, profile, mixedCors: new Set(mixed).union(conditioned) };
}

/** Makes the matches of an entry. */
export function matchesOf(entry: RouteEntry, { order, profile, mixedCors }: MatchRules): RouteMatch[] {
  const { pattern, methods, guards } = entry;
  if (guards !== undefined) return guards.map((path) => ({ path }));
  if (entry.isUndeclared === true && !pattern.isPrefix) return undeclaredMatches(pattern, order, profile);
  const path = orderedMatchOf(pattern, order);
  const conditions = conditionMatchOf(entry.conditions, profile);
  // Routes with conditions that no match can express were refused before.
  if (typeof conditions === "string") return [];
  const { headers, queryParams } = conditions;
  if (entry.announced !== undefined) {
    return preflightMatches(path, entry.announced, queryParams, profile, mixedCors.has(pattern.shape));
  }
  if (methods.length === 0) return [matchWith({ path }, headers, queryParams)];
  const matches = methods.map((method) => matchWith({ path, method }, headers, queryParams));
  // Envoy Gateway adds a match for preflight requests of a path to each rule with a CORS filter. Other gateways don't.
  const hasPreflight = profile === "envoy-gateway" && !mixedCors.has(pattern.shape);
  if (corsOf(entry) === undefined || hasPreflight) return matches;
  return [
    ...matches,
    ...preflightMatches(path, methods.filter((method) => method !== "HEAD"), queryParams, profile, true),
  ];
}

/**
 * Makes the matches of CORS preflights for some methods of a path.
 *
 * @param isExact Whether each method has a match of its own. Among matches with as many headers, Envoy Gateway prefers
 * those with more exact values, so this match precedes its own for the preflights of the path.
 */
function preflightMatches(
  path: PathMatch,
  methods: readonly string[],
  queryParams: readonly ValueMatch[],
  profile: Profile,
  isExact: boolean,
): RouteMatch[] {
  const values = isExact || profile === "portable" || methods.length < 2
    ? methods.map((value): Omit<ValueMatch, "name"> => ({ value }))
    : [{ type: "RegularExpression" as const, value: methods.join("|") }];
  return values.map((value) => matchWith({ path, method: "OPTIONS" }, preflightHeaders(value, profile), queryParams));
}

function matchWith(
  match: RouteMatch,
  headers: readonly ValueMatch[],
  queryParams: readonly ValueMatch[],
): RouteMatch {
  return {
    ...match,
    ...(headers.length === 0 ? {} : { headers: [...headers] }),
    ...(queryParams.length === 0 ? {} : { queryParams: [...queryParams] }),
  };
}

/** Returns the header matches of a CORS preflight request (Fetch Standard, section 3.3) for a method or several. */
function preflightHeaders(methods: Omit<ValueMatch, "name">, profile: Profile): ValueMatch[] {
  const requested = { name: "access-control-request-method", ...methods };
  // Envoy Gateway's own preflight match has both headers, `Origin` and `Access-Control-Request-Method`. A match with
  // only one of them would have lower precedence.
  const origin = { name: "origin", type: "RegularExpression" as const, value: ".*" };
  return profile === "envoy-gateway" ? [origin, requested] : [requested];
}

/**
 * Makes the matches for undeclared requests to a path (those that no operation handles), with or without a trailing
 * slash. In Envoy Gateway, one regular expression is for both forms, because rules with a method take precedence over
 * it. Other gateways may order rules differently, so each form has the match that an operation of this path would have.
 */
function undeclaredMatches(pattern: PathPattern, order: PathOrder, profile: Profile): RouteMatch[] {
  if (profile === "envoy-gateway") return [{ path: eitherEndMatchOf(pattern) }];
  const ends = pattern.shape === "/" ? [pattern] : [pattern, withFinalSlash(pattern)];
  return ends.map((end) => ({ path: orderedMatchOf(end, order) }));
}

function corsOf({ content: { filters } }: RouteEntry): unknown {
  return filters.find(({ type }) => type === "CORS");
}
