/**
 * Distributes the rules of paths over HTTPRoutes so that a small edit of a definition changes few of these. The hash of
 * a path decides which HTTPRoute gets its rules. An HTTPRoute that exceeds a limit is split in two by the next bit of
 * the hash.
 *
 * @module
 */
import { ROUTE_LIMITS, type RouteMatch } from "./gateway_api.ts";
import { hashOf } from "../../http/hash.ts";

/** The rules of one path. */
export interface PathMatches<Content> {
  /** The shape of the path, equal for equal paths. Its hash decides which HTTPRoute gets the rules. */
  readonly shape: string;
  readonly rules: readonly { content: Content; matches: readonly RouteMatch[] }[];
}

/** The rules of one HTTPRoute. */
export interface Pack<Content> {
  /**
   * A unique name, such as `0`, `1` or `01`: the lowest bits of the hash, in which all paths of the pack agree. The
   * lowest bit comes first; zeros at the end are left out.
   */
  readonly name: string;
  readonly rules: readonly { content: Content; matches: readonly RouteMatch[] }[];
}

interface HashedPath<Content> {
  readonly path: PathMatches<Content>;
  readonly hash: number;
}

/** The number of bits of a hash. */
const MOST_BITS = 32;

/** Distributes the rules of paths over nearly as few HTTPRoutes as the limits of an HTTPRoute allow. */
export function pack<Content extends { key: string }>(paths: readonly PathMatches<Content>[]): Pack<Content>[] {
  const hashed = paths.toSorted((a, b) => a.shape < b.shape ? -1 : 1)
    .map((path) => ({ path, hash: hashOf(path.shape) }));
  return split(hashed, "");
}

/**
 * Distributes the paths whose hashes end in these bits (lowest bit first). Splits the paths by the next bit if one
 * HTTPRoute can't have all their rules.
 */
function split<Content extends { key: string }>(paths: readonly HashedPath<Content>[], bits: string): Pack<Content>[] {
  if (paths.length === 0) return [];
  const rules = mergeRules(paths.map(({ path }) => path));
  if (fits(rules) || bits.length === MOST_BITS || paths.length === 1) {
    // The first half keeps the name of the HTTPRoute that is split, so that only the second half is a new object.
    return [{ name: bits.replace(/0+$/, "") || "0", rules }];
  }
  const isSecond = ({ hash }: HashedPath<Content>): boolean => ((hash >>> bits.length) & 1) === 1;
  return [
    ...split(paths.filter((path) => !isSecond(path)), `${bits}0`),
    ...split(paths.filter(isSecond), `${bits}1`),
  ];
}

type Rules<Content> = Pack<Content>["rules"];

/**
 * Merges rules with equal contents, up to the limit of matches in a rule. Sorts the rules by the keys of their
 * contents.
 */
function mergeRules<Content extends { key: string }>(paths: readonly PathMatches<Content>[]): Rules<Content> {
  const merged = new Map<string, { content: Content; matches: RouteMatch[] }>();
  for (const { content, matches } of paths.flatMap(({ rules }) => rules)) {
    const known = merged.get(content.key);
    if (known === undefined) merged.set(content.key, { content, matches: [...matches] });
    else known.matches.push(...matches);
  }
  return [...merged].sort(([a], [b]) => a < b ? -1 : 1).flatMap(([, { content, matches }]) =>
    chunks(matches, ROUTE_LIMITS.matchesOfRule).map((matches) => ({ content, matches }))
  );
}

function fits(rules: Rules<unknown>): boolean {
  const matches = rules.reduce((sum, { matches }) => sum + matches.length, 0);
  return rules.length <= ROUTE_LIMITS.rules && matches <= ROUTE_LIMITS.matches;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from(
    { length: Math.ceil(items.length / size) },
    (_, index) => items.slice(index * size, (index + 1) * size),
  );
}
