/**
 * The precedence of overlapping path templates. OpenAPI prefers the more specific template. Envoy Gateway prefers exact
 * matches to regular expressions, the longer of two regular expressions, and both to prefixes. Where the two differ,
 * the regular expression that must win is lengthened by padding at its end. Rules for undeclared requests (those that
 * no operation handles) have the lowest precedence.
 *
 * @module
 */
import { eitherEndMatchOf, LONGEST_PATH, matchOf, padded, type PathMatch, STEP } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, withFinalSlash } from "./path_pattern.ts";

/** The regular expression of each pattern, with padding where precedence needs it, by the shape of the pattern. */
export type PathOrder = ReadonlyMap<string, PathMatch>;

/** A pattern, with the length of its regular expression. */
interface SizedPattern {
  readonly pattern: PathPattern;
  readonly length: number;
}

/** Patterns that may overlap each other, but no pattern of another group. */
interface Group {
  readonly operations: PathPattern[];
  /** The patterns of rules for undeclared requests, which aren't padded. */
  readonly undeclared: SizedPattern[];
}

/**
 * Determines the path matches of patterns, with padding where precedence needs it. The match of a pattern depends only
 * on patterns that overlap it, directly or through others, so that an unrelated edit of the definition doesn't change
 * it.
 *
 * @param declared Paths whose undeclared requests have rules with the match of {@linkcode eitherEndMatchOf}.
 */
export function orderPaths(patterns: Iterable<PathPattern>, declared: Iterable<PathPattern> = []): PathOrder {
  const operations = distinct(patterns);
  const undeclared = distinct(declared).flatMap((pattern): SizedPattern[] => {
    const { value: { length } } = eitherEndMatchOf(pattern);
    return [{ pattern, length }, { pattern: withFinalSlash(pattern), length }];
  });
  const matches = new Map<string, PathMatch>();
  for (const group of groupsOf(operations, undeclared)) {
    for (const [shape, match] of orderGroup(group)) matches.set(shape, match);
  }
  return matches;
}

/** Returns the path match of a pattern, with padding if precedence needs it. */
export function orderedMatchOf(pattern: PathPattern, order: PathOrder): PathMatch {
  return order.get(pattern.shape) ?? matchOf(pattern);
}

/** Tells whether a path match is longer than the Gateway API allows. */
export function isTooLong({ value }: PathMatch): boolean {
  return value.length > LONGEST_PATH;
}

/** Groups patterns by their number of segments and by the literal segments with which they begin. */
function groupsOf(operations: readonly PathPattern[], undeclared: readonly SizedPattern[]): Group[] {
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
 * Splits a group by the segment at an index, if all its patterns have a literal there. Patterns with different literals
 * never overlap.
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
 * Pads regular expressions, from the least to the most specific pattern. Each must be longer than every expression
 * before it that overlaps it, and than every overlapping expression for undeclared requests.
 */
function orderGroup({ operations, undeclared }: Group): Map<string, PathMatch> {
  const matches = new Map<string, PathMatch>();
  const done: SizedPattern[] = [];
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
 * Returns the length of the longest expression that overlaps a pattern, or `least` if none is longer. The expression
 * for undeclared requests of the same path counts one character less. It may be as long as the pattern's, because of
 * two equally long expressions Envoy Gateway prefers the rule with a method.
 */
function longestOverlap(pattern: PathPattern, others: readonly SizedPattern[], least: number): number {
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
