/**
 * The precedence of overlapping path templates. Envoy Gateway prefers exact matches to regular expressions, the longer
 * of two regular expressions, and both to prefixes. OpenAPI prefers the more specific template. Where these differ, the
 * regular expression that has to win is made longer by padding at its end. The rules for undeclared requests (those
 * that no operation handles) have the lowest precedence.
 *
 * @module
 */
import { eitherEndMatchOf, LONGEST_PATH, matchOf, padded, type PathMatch, STEP } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, withFinalSlash } from "./path_pattern.ts";

/** The regular expressions of patterns, padded where precedence needs that, by the shape of the pattern. */
export type PathOrder = ReadonlyMap<string, PathMatch>;

/** A pattern and the length of its regular expression. */
interface Sized {
  readonly pattern: PathPattern;
  readonly length: number;
}

/** Patterns that may overlap each other, and don't overlap those of any other group. */
interface Group {
  readonly operations: PathPattern[];
  /** The expressions for undeclared requests. They aren't padded. */
  readonly undeclared: Sized[];
}

/**
 * Finds the matches of patterns, padded where precedence needs that. The match of a pattern depends only on the
 * patterns that overlap it, directly or through others. So an unrelated edit of the definition doesn't change the
 * match.
 *
 * @param declared Paths whose undeclared requests have rules with the match of {@linkcode eitherEndMatchOf}.
 */
export function orderPaths(patterns: Iterable<PathPattern>, declared: Iterable<PathPattern> = []): PathOrder {
  const operations = distinct(patterns);
  const undeclared = distinct(declared).flatMap((pattern): Sized[] => {
    const { value: { length } } = eitherEndMatchOf(pattern);
    return [{ pattern, length }, { pattern: withFinalSlash(pattern), length }];
  });
  const matches = new Map<string, PathMatch>();
  for (const group of groupsOf(operations, undeclared)) {
    for (const [shape, match] of orderGroup(group)) matches.set(shape, match);
  }
  return matches;
}

/** The match of a pattern, padded if its order needs that. */
export function orderedMatchOf(pattern: PathPattern, order: PathOrder): PathMatch {
  return order.get(pattern.shape) ?? matchOf(pattern);
}

/** Tells whether a match exceeds the limit of the Gateway API. */
export function isTooLong({ value }: PathMatch): boolean {
  return value.length > LONGEST_PATH;
}

/** Groups patterns by their number of segments, and by the literals that all patterns of a group begin with. */
function groupsOf(operations: readonly PathPattern[], undeclared: readonly Sized[]): Group[] {
  const byLength = new Map<number, Group>();
  const groupOf = ({ segments: { length } }: PathPattern): Group => {
    const group = byLength.get(length) ?? { operations: [], undeclared: [] };
    byLength.set(length, group);
    return group;
  };
  for (const pattern of operations) groupOf(pattern).operations.push(pattern);
  for (const sized of undeclared) groupOf(sized.pattern).undeclared.push(sized);
  return [...byLength.values()].flatMap((group) => splitByLiteral(group, 0));
}

/**
 * Splits a group by the literal at an index, as long as all its patterns have a literal there: patterns with different
 * literals never overlap.
 */
function splitByLiteral(group: Group, index: number): Group[] {
  if (group.operations.length + group.undeclared.length < 2) return [group];
  const parts = new Map<string, Group>();
  const partOf = ({ segments }: PathPattern): Group | undefined => {
    const segment = segments[index];
    if (segment?.kind !== "literal") return undefined;
    const part = parts.get(segment.text) ?? { operations: [], undeclared: [] };
    parts.set(segment.text, part);
    return part;
  };
  for (const pattern of group.operations) {
    const part = partOf(pattern);
    if (part === undefined) return [group];
    part.operations.push(pattern);
  }
  for (const sized of group.undeclared) {
    const part = partOf(sized.pattern);
    if (part === undefined) return [group];
    part.undeclared.push(sized);
  }
  return [...parts.values()].flatMap((part) => splitByLiteral(part, index + 1));
}

/**
 * Pads regular expressions from the least specific pattern to the most specific: each must be longer than all earlier
 * expressions that overlap it, and than those for undeclared requests that overlap it.
 */
function orderGroup({ operations, undeclared }: Group): Map<string, PathMatch> {
  const matches = new Map<string, PathMatch>();
  const done: Sized[] = [];
  for (const pattern of operations.toSorted((a, b) => compareSpecificity(b, a))) {
    const match = matchOf(pattern);
    if (match.type !== "RegularExpression") continue;
    const longest = longestOverlap(pattern, undeclared, longestOverlap(pattern, done, -1));
    const steps = longest < match.value.length ? 0 : Math.ceil((longest + 1 - match.value.length) / STEP);
    const ordered = padded(match, steps);
    matches.set(pattern.shape, ordered);
    done.push({ pattern, length: ordered.value.length });
  }
  return matches;
}

/**
 * The length of the longest expression that overlaps a pattern, or `least` if none is longer. The expression for
 * undeclared requests to the same path counts one character less, because it may be as long as that of the pattern: it
 * names no method, and of two expressions of the same length Envoy Gateway prefers the one with a method.
 */
function longestOverlap(pattern: PathPattern, others: readonly Sized[], least: number): number {
  let longest = least;
  for (const other of others) {
    if (other.length <= longest) continue;
    const length = other.pattern.shape === pattern.shape ? other.length - 1 : other.length;
    if (length > longest && overlaps(pattern, other.pattern)) longest = length;
  }
  return longest;
}

function distinct(patterns: Iterable<PathPattern>): PathPattern[] {
  const known = new Map<string, PathPattern>();
  for (const pattern of patterns) if (!pattern.isPrefix && !known.has(pattern.shape)) known.set(pattern.shape, pattern);
  return [...known.values()];
}
