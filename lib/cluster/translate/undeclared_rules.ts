/**
 * Makes rules for undeclared requests: requests to a declared path that no operation handles, for instance because of
 * their method or a trailing slash. The mocks answer them with 404 or 405. Otherwise a static route (hosts sent to an
 * upstream without a definition) would get these requests.
 *
 * @module
 */
import { eitherEndMatchOf, LONGEST_PATH, unreachableReason } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, patternOf, withoutFinalSlash } from "./path_pattern.ts";
import type { RenderContext } from "./rendering.ts";
import type { RouteEntry } from "./route_entry.ts";
import { undeclaredContent } from "./rule.ts";
import { qualifiedName, type RoutePlan } from "../../gateway/route.ts";

/** Returns the paths that a plan declares, without trailing slashes and repetitions. */
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
 * Makes an entry for the undeclared requests of each path that a plan declares.
 *
 * @param prefix The prefix of the default rule, if there is one: paths below it need no entry.
 */
export function undeclaredEntries(
  plan: RoutePlan,
  entries: readonly RouteEntry[],
  prefix: PathPattern | undefined,
  context: RenderContext,
): RouteEntry[] {
  const { neighbours, profile } = context;
  const taken = pathsOfEarlier(plan, neighbours);
  const content = undeclaredContent(context);
  return declaredPaths(plan)
    .filter((pattern) => prefix === undefined || !isBelow(pattern, prefix))
    .filter((pattern) => !taken.has(pattern.shape))
    .filter((pattern) => profile === "envoy-gateway" || !isShadowing(pattern, entries, neighbours))
    .map((pattern) => ({
      pattern,
      methods: [],
      content,
      access: { kind: "open" },
      isDisabled: false,
      isUndeclared: true,
    }));
}

/**
 * Returns the paths for which another plan makes the entry. If several plans declare a path, the plan whose name sorts
 * first makes the entry.
 */
function pathsOfEarlier(plan: RoutePlan, neighbours: readonly RoutePlan[]): Set<string> {
  const isEarlier = (other: RoutePlan): boolean =>
    other.kind === "api" && qualifiedName(other) < qualifiedName(plan) &&
    plan.hosts.every((host) => other.hosts.includes(host));
  return new Set(neighbours.filter(isEarlier).flatMap(declaredPaths).map(({ shape }) => shape));
}

function isBelow(pattern: PathPattern, prefix: PathPattern): boolean {
  return pattern.segments.length >= prefix.segments.length && overlaps(prefix, pattern);
}

/**
 * Tells whether a rule for undeclared requests to a path would take requests of a less specific template. Some gateways
 * prefer the rule with the more specific path even if only the other rule names a method.
 */
function isShadowing(
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
