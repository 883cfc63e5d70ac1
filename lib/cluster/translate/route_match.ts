import type { RouteMatch } from "./gateway_api.ts";
import { eitherEndMatchOf } from "./path_match.ts";
import type { PathOrder } from "./path_order.ts";
import { type PathPattern, withFinalSlash } from "./path_pattern.ts";
import type { Profile } from "./rendering.ts";
import type { RouteEntry } from "./route_entry.ts";
import { canonical } from "../../gateway/hash.ts";

/** Gives the matches of an entry. */
export type MatchesOf = (entry: RouteEntry) => RouteMatch[];

/**
 * Makes the matches of entries. A browser's question whether a request may follow (Fetch Standard, section 3.3) is asked
 * with another method than that request's: Envoy Gateway adds a match for it to each rule with a CORS filter, other gateways
 * don't, and where the operations of a path answer it differently the method that it names has to decide.
 */
export function createMatches(entries: readonly RouteEntry[], order: PathOrder, profile: Profile): MatchesOf {
  const rules = new Map<string, Set<string>>();
  for (const entry of entries) {
    if (entry.isUndeclared === true) continue;
    const known = rules.get(entry.pattern.shape) ?? new Set();
    rules.set(entry.pattern.shape, known.add(canonical(corsOf(entry) ?? null)));
  }
  return (entry) => {
    if (entry.isUndeclared === true && !entry.pattern.isPrefix) return eitherEnd(entry.pattern);
    const path = order(entry.pattern);
    if (entry.methods.length === 0) return [{ path }];
    const matches: RouteMatch[] = entry.methods.map((method) => ({ path, method }));
    const isMixed = (rules.get(entry.pattern.shape)?.size ?? 0) > 1;
    if (corsOf(entry) === undefined || (profile === "envoy-gateway" && !isMixed)) return matches;
    return [
      ...matches,
      ...entry.methods.filter((method) => method !== "HEAD").map((method) => preflight(path, method)),
    ];

    function preflight(path: RouteMatch["path"], method: string): RouteMatch {
      const asked = { name: "access-control-request-method", value: method };
      // The match that Envoy Gateway adds has both headers, too, and names no method.
      const origin = { name: "origin", type: "RegularExpression" as const, value: ".*" };
      return { path, method: "OPTIONS", headers: profile === "envoy-gateway" ? [origin, asked] : [asked] };
    }
  };

  /** Only Envoy is known to ask these after rules with a method, however they are written. */
  function eitherEnd(pattern: PathPattern): RouteMatch[] {
    if (profile === "envoy-gateway") return [{ path: eitherEndMatchOf(pattern) }];
    const ends = isRoot(pattern) ? [pattern] : [pattern, withFinalSlash(pattern)];
    return ends.map((end) => ({ path: order(end) }));
  }
}

function isRoot({ shape }: PathPattern): boolean {
  return shape === "/";
}

function corsOf({ content: { filters } }: RouteEntry): unknown {
  return filters.find(({ type }) => type === "CORS");
}
