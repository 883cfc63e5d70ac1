/**
 * Spreads matches over HTTPRoutes so that a small change of a definition changes few of them: where a path goes depends on
 * the path alone, until a route is full and is parted in two.
 *
 * @module
 */
import { ROUTE_LIMITS, type RouteMatch } from "./gateway_api.ts";
import { hashOf } from "../../gateway/hash.ts";

/** The matches of one path. */
export interface PathMatches<Content> {
  /** Tells the path from others: it decides where the matches go. */
  readonly shape: string;
  readonly rules: readonly { content: Content; matches: readonly RouteMatch[] }[];
}

/** What one HTTPRoute holds. */
export interface Pack<Content> {
  /** Digits that tell it from the others: `0`, `1`, `01`. */
  readonly name: string;
  readonly rules: readonly { content: Content; matches: readonly RouteMatch[] }[];
}

/** Bits of a hash. */
const DEEPEST = 32;

/** Spreads the matches of paths over as few routes as the limits of one allow, nearly. */
export function pack<Content extends { key: string }>(paths: readonly PathMatches<Content>[]): Pack<Content>[] {
  const hashed = paths.toSorted((a, b) => a.shape < b.shape ? -1 : 1)
    .map((path) => ({ path, hash: hashOf(path.shape) }));
  const packs: Pack<Content>[] = [];
  part(hashed, "");
  return packs;

  function part(paths: readonly { path: PathMatches<Content>; hash: number }[], bits: string): void {
    if (paths.length === 0) return;
    const rules = rulesOf(paths.map(({ path }) => path));
    if (fits(rules) || bits.length === DEEPEST || paths.length === 1) {
      // The first half of a route that is parted keeps its name.
      packs.push({ name: bits.replace(/0+$/, "") || "0", rules });
      return;
    }
    const isSecond = ({ hash }: { hash: number }): boolean => ((hash >>> bits.length) & 1) === 1;
    part(paths.filter((path) => !isSecond(path)), `${bits}0`);
    part(paths.filter(isSecond), `${bits}1`);
  }
}

type Rules<Content> = Pack<Content>["rules"];

/** Puts matches with the same content together, in the order of the contents' keys. */
function rulesOf<Content extends { key: string }>(paths: readonly PathMatches<Content>[]): Rules<Content> {
  const rules = new Map<string, { content: Content; matches: RouteMatch[] }>();
  for (const { rules: own } of paths) {
    for (const { content, matches } of own) {
      const known = rules.get(content.key);
      if (known === undefined) rules.set(content.key, { content, matches: [...matches] });
      else known.matches.push(...matches);
    }
  }
  return [...rules].sort(([a], [b]) => a < b ? -1 : 1).flatMap(([, { content, matches }]) =>
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
