/**
 * The precedence of rules that match the same requests: first by their paths, then by their conditions.
 *
 * @module
 */
import { areCompatible } from "./condition_match.ts";
import { compareSpecificity, overlaps } from "./path_pattern.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";
import { compareConditions } from "../../openapi/path_condition.ts";

/** The parts of an entry that decide which requests its rule matches. */
export type MatchedRule = Pick<RouteEntry, "pattern" | "methods" | "conditions">;

/**
 * Tells whether the rule of an entry would get requests of another entry if that entry, which takes precedence, had no
 * rule.
 */
export function takesFrom(entry: MatchedRule, other: MatchedRule): boolean {
  if (!shareMethod(other.methods, entry.methods) || !overlaps(other.pattern, entry.pattern)) return false;
  if (other.pattern.shape !== entry.pattern.shape) return compareSpecificity(other.pattern, entry.pattern) < 0;
  if (other.conditions === undefined && entry.conditions === undefined) return false;
  // With equally many conditions, either rule may take precedence.
  return compareConditions(other.conditions, entry.conditions) <= 0 &&
    areCompatible(other.conditions, entry.conditions);
}
