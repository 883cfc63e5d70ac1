/**
 * Rules for the requests to declared paths that no other rule takes: methods that a path doesn't have, and its other end.
 * Without them a static route would take these. The mocks answer 404 or 405.
 *
 * @module
 */
import { eitherEndMatchOf, LONGEST_PATH, unreachableReason } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, patternOf, withoutFinalSlash } from "./path_pattern.ts";
import type { Profile } from "./rendering.ts";
import type { RouteEntry } from "./route_entry.ts";
import type { RuleContent } from "./rule.ts";
import { qualifiedName, type RoutePlan } from "../../gateway/route.ts";

/** The paths that a plan declares, each once and without a slash at its end. */
export function declaredPaths({ routes, hidden }: Pick<RoutePlan, "routes" | "hidden">): PathPattern[] {
  const paths = new Map<string, PathPattern>();
  for (const { path } of [...routes, ...hidden]) {
    const pattern = withoutFinalSlash(patternOf(path));
    const isMatched = !pattern.isPrefix && unreachableReason(pattern) === undefined &&
      eitherEndMatchOf(pattern).value.length <= LONGEST_PATH;
    if (isMatched) paths.set(pattern.shape, pattern);
  }
  return [...paths.values()];
}

/**
 * Makes an entry for each path that a plan declares, but for those below a prefix that leads to the mocks already.
 *
 * @param prefix The rest of the plan's requests below it go to the mocks; `undefined` when there is none.
 */
export function undeclaredEntries(
  plan: RoutePlan,
  entries: readonly RouteEntry[],
  neighbours: readonly RoutePlan[],
  { prefix, content, profile }: { prefix: PathPattern | undefined; content: RuleContent; profile: Profile },
): RouteEntry[] {
  if (plan.kind !== "api") return [];
  const others = pathsOfFirst(plan, neighbours);
  return declaredPaths(plan)
    .filter((pattern) => prefix === undefined || !isBelow(pattern, prefix))
    .filter((pattern) => !others.has(pattern.shape))
    .filter((pattern) => profile === "envoy-gateway" || !isPartOfOther(pattern, entries, neighbours))
    .map((pattern) => ({
      pattern,
      methods: [],
      content,
      guarding: { kind: "open" },
      isDisabled: false,
      isUndeclared: true,
    }));
}

/** Two plans may have a path, each with methods of its own: the rule is that of the plan whose name is the first. */
function pathsOfFirst(plan: RoutePlan, neighbours: readonly RoutePlan[]): Set<string> {
  const isFirst = (other: RoutePlan): boolean =>
    other.kind === "api" && qualifiedName(other) < qualifiedName(plan) &&
    plan.hosts.every((host) => other.hosts.includes(host));
  return new Set(neighbours.filter(isFirst).flatMap(declaredPaths).map(({ shape }) => shape));
}

function isBelow(pattern: PathPattern, prefix: PathPattern): boolean {
  return pattern.segments.length >= prefix.segments.length && overlaps(prefix, pattern);
}

/** Whether a less specific template takes requests to the path, too: by some implementations it would lose them. */
function isPartOfOther(
  pattern: PathPattern,
  entries: readonly RouteEntry[],
  neighbours: readonly RoutePlan[],
): boolean {
  const others = [
    ...entries.map((entry) => entry.pattern),
    ...neighbours.flatMap(({ routes }) => routes).map(({ path }) => patternOf(path)),
  ];
  return others.some((other) =>
    !other.isPrefix && other.shape !== pattern.shape && overlaps(pattern, other) &&
    compareSpecificity(pattern, other) < 0
  );
}
