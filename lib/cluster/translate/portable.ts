import { nameOf } from "../../openapi/operation.ts";
import { type RoutePlan, showPath } from "../../gateway/route.ts";
import { compareSpecificity, isConcrete, overlaps, type PathPattern, patternOf } from "./path_pattern.ts";
import type { Refuse } from "./refusals.ts";
import { nodeOf } from "./refusals.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";

/**
 * Refuses templates that take requests which other rules take, too: the Gateway API leaves to each gateway where regular
 * expressions stand in the order of paths. Where both lead to the same, the order doesn't matter.
 */
export function refuseOverlaps(
  entries: readonly RouteEntry[],
  neighbours: readonly RoutePlan[],
  refuse: Refuse,
): void {
  const others = [
    // A concrete path goes before a template by any implementation: what is hidden there is no matter of order.
    ...entries.filter(({ route, pattern, isUndeclared }) =>
      isUndeclared === undefined && (route !== undefined || !isConcrete(pattern))
    ).map(({ pattern, methods, content: { key }, route }) => ({
      pattern,
      methods,
      key,
      name: route?.operation ? nameOf(route.operation) : "the rest of the API",
    })),
    ...neighbours.flatMap(({ routes, namespace, name }) =>
      routes.map(({ path, method }) => ({
        pattern: patternOf(path),
        methods: method === "*" ? [] : [method],
        key: undefined,
        name: `${method === "*" ? "" : `${method} `}${showPath(path)} of ${namespace}/${name}`,
      }))
    ),
  ];
  for (const { pattern, methods, content, route } of entries) {
    if (route === undefined || !isTemplate(pattern)) continue;
    const other = others.find((other) =>
      // Prefixes stand after all others wherever they are known.
      other.key !== content.key && !other.pattern.isPrefix && other.pattern.shape !== pattern.shape &&
      shareMethod(methods, other.methods) && overlaps(pattern, other.pattern) &&
      (isConcrete(other.pattern) || compareSpecificity(pattern, other.pattern) < 0)
    );
    if (other === undefined) continue;
    refuse(
      nodeOf(route),
      `\`${
        showPath(route.path)
      }\` takes requests that \`${other.name}\` takes, too, and the Gateway API doesn't say which goes ` +
        "first. Give both the same action and settings, or use a fleet with the profile `envoy-gateway`.",
    );
  }
}

function isTemplate(pattern: PathPattern): boolean {
  return !pattern.isPrefix && !isConcrete(pattern);
}
