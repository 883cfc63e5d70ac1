/**
 * The order of overlapping path templates. Envoy Gateway asks exact paths first, then regular expressions, the longer text
 * first, then prefixes. OpenAPI wants the more specific template first. Where the two differ, the expression that is to go
 * first gets padding after its end. Expressions for what no operation takes go after those of all operations.
 *
 * @module
 */
import { eitherEndMatchOf, LONGEST_PATH, matchOf, padded, type PathMatch, STEP } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, withFinalSlash } from "./path_pattern.ts";

/** Gives the match of each pattern that it was made for. */
export type PathOrder = (pattern: PathPattern) => PathMatch;

/** A pattern whose place in the order is to be found, or is given by the length of its expression. */
interface Placed {
  readonly pattern: PathPattern;
  /** Length of the expression for what no operation takes; absent for operations. */
  readonly length?: number;
}

/**
 * Settles the order of patterns. It is the same for a pattern whoever else is among them, as long as those that overlap
 * with it are, and those that overlap with these.
 *
 * @param declared Paths without a slash at their end: what no operation takes of each has an expression of its own, that
 * of {@linkcode eitherEndMatchOf}.
 */
export function createPathOrder(
  patterns: Iterable<PathPattern>,
  declared: Iterable<PathPattern> = [],
): PathOrder {
  const matches = new Map<string, PathMatch>();
  const placed = [
    ...distinct(patterns).map((pattern): Placed => ({ pattern })),
    ...distinct(declared).flatMap((pattern): Placed[] => {
      const { value: { length } } = eitherEndMatchOf(pattern);
      return [{ pattern, length }, { pattern: withFinalSlash(pattern), length }];
    }),
  ];
  const byLength = Map.groupBy(placed, ({ pattern: { segments } }) => segments.length);
  for (const alike of byLength.values()) {
    for (const related of relatives(alike, 0)) settle(related, matches);
  }
  return (pattern) => matches.get(pattern.shape) ?? matchOf(pattern);
}

/** Parts patterns of one length by the literal segments that they begin with: those of different parts never overlap. */
function relatives(patterns: readonly Placed[], index: number): readonly (readonly Placed[])[] {
  if (patterns.length < 2) return [patterns];
  const texts = patterns.map(({ pattern }) => pattern.segments[index]);
  if (!texts.every((segment) => segment?.kind === "literal")) return [patterns];
  const parts = Map.groupBy(patterns, (_, place) => {
    const segment = texts[place];
    return segment?.kind === "literal" ? segment.text : "";
  });
  return [...parts.values()].flatMap((part) => relatives(part, index + 1));
}

function settle(patterns: readonly Placed[], matches: Map<string, PathMatch>): void {
  const fixed = patterns.flatMap(({ pattern, length }) => length === undefined ? [] : [{ pattern, length }]);
  const done: { pattern: PathPattern; length: number }[] = [];
  const operations = patterns.flatMap(({ pattern, length }) => length === undefined ? [pattern] : []);
  // The least specific first: what goes before others is made longer than they are by then.
  for (const pattern of operations.toSorted((a, b) => compareSpecificity(b, a))) {
    const match = matchOf(pattern);
    if (match.type !== "RegularExpression") continue;
    let least = -1;
    for (const other of done) {
      if (other.length > least && overlaps(pattern, other.pattern)) least = other.length;
    }
    for (const other of fixed) {
      // Of two expressions of one length that with a method goes first.
      const length = other.pattern.shape === pattern.shape ? other.length - 1 : other.length;
      if (length > least && overlaps(pattern, other.pattern)) least = length;
    }
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
