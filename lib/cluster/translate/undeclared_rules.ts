/**
 * Rules for undeclared requests: those to a declared path that no operation handles, for example because of their
 * method, or because their path has a trailing slash more or less. The mocks answer 404 or 405. Without these rules a
 * static route (hosts sent to an upstream without a definition) would get the requests.
 *
 * @module
 */
import { eitherEndMatchOf, LONGEST_PATH, unreachableReason } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, patternOf, withoutFinalSlash } from "./path_pattern.ts";
import type { RenderContext } from "./rendering.ts";
import type { RouteEntry } from "./route_entry.ts";
import { undeclaredContent } from "./rule.ts";
import { qualifiedName, type RoutePlan } from "../../gateway/route.ts";

/** The paths that a plan declares, each once and without a trailing slash. */
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
 * Makes an entry for each path that a plan declares.
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
 * The paths whose entries another plan makes. If several plans declare a path, the plan whose name sorts first makes
 * its entry.
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
 * Tells whether a rule for the path would take requests of a less specific template. Some gateways prefer the more
 * specific path, although only the rule of the template names a method.
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
