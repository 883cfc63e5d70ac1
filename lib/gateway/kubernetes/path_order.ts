/**
 * The order of overlapping path templates. Envoy Gateway asks exact paths first, then regular expressions, the longer text
 * first, then prefixes. OpenAPI wants the more specific template first. Where the two differ, the expression that is to go
 * first gets padding after its end.
 *
 * @module
 */
import { LONGEST_PATH, matchOf, padded, type PathMatch, STEP } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern } from "./path_pattern.ts";

/** Gives the match of each pattern that it was made for. */
export type PathOrder = (pattern: PathPattern) => PathMatch;

/**
 * Settles the order of patterns. It is the same for a pattern whoever else is among them, as long as those that overlap
 * with it are, and those that overlap with these.
 */
export function createPathOrder(patterns: Iterable<PathPattern>): PathOrder {
  const matches = new Map<string, PathMatch>();
  const byLength = Map.groupBy(distinct(patterns), ({ segments }) => segments.length);
  for (const alike of byLength.values()) {
    for (const related of relatives(alike, 0)) settle(related, matches);
  }
  return (pattern) => matches.get(pattern.shape) ?? matchOf(pattern);
}

/** Parts patterns of one length by the literal segments that they begin with: those of different parts never overlap. */
function relatives(patterns: readonly PathPattern[], index: number): readonly (readonly PathPattern[])[] {
  if (patterns.length < 2) return [patterns];
  const texts = patterns.map(({ segments }) => segments[index]);
  if (!texts.every((segment) => segment?.kind === "literal")) return [patterns];
  const parts = Map.groupBy(patterns, (_, place) => {
    const segment = texts[place];
    return segment?.kind === "literal" ? segment.text : "";
  });
  return [...parts.values()].flatMap((part) => relatives(part, index + 1));
}

function settle(patterns: readonly PathPattern[], matches: Map<string, PathMatch>): void {
  const done: { pattern: PathPattern; length: number }[] = [];
  // The least specific first: what goes before others is made longer than they are by then.
  for (const pattern of patterns.toSorted((a, b) => compareSpecificity(b, a))) {
    const match = matchOf(pattern);
    if (match.type !== "RegularExpression") continue;
    const least = done.reduce(
      (most, other) => other.length > most && overlaps(pattern, other.pattern) ? other.length : most,
      -1,
    );
    const steps = least < match.value.length ? 0 : Math.ceil((least + 1 - match.value.length) / STEP);
    const longer = padded(match, steps);
    matches.set(pattern.shape, longer);
    done.push({ pattern, length: longer.value.length });
  }
}

/** Whether the order of a match can be kept within the length that it may have. */
export function isTooLong({ value }: PathMatch): boolean {
  return value.length > LONGEST_PATH;
}

function distinct(patterns: Iterable<PathPattern>): PathPattern[] {
  const known = new Map<string, PathPattern>();
  for (const pattern of patterns) if (!pattern.isPrefix && !known.has(pattern.shape)) known.set(pattern.shape, pattern);
  return [...known.values()];
}
