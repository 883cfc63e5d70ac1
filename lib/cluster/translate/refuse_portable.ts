import { compareSpecificity, isConcrete, overlaps, type PathPattern, patternOf } from "./path_pattern.ts";
import { nodeOf, type Refuse } from "./refuse_hosts.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";
import { type PlannedRoute, type RoutePlan, showPath } from "../../gateway/route.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import { nameOf } from "../../openapi/operation.ts";
import type { Node } from "../../schema/node.ts";

/** Refuses what the standard channel of the Gateway API has no field for. */
export function refuseUnportable({ settings, origins, action }: PlannedRoute, refuse: Refuse): void {
  const needsEnvoy = (what: string, node: Node | undefined): void =>
    refuse(
      node,
      `${what} isn't in the standard channel of the Gateway API. Use a fleet with the profile \`envoy-gateway\`.`,
    );
  const { auth, validation, rate_limit: limit, qos } = settings;
  if (auth !== undefined) needsEnvoy(`\`${EXTENSION}.auth\``, origins.auth);
  if (validation?.request?.enabled === true && action.kind === "upstream") {
    needsEnvoy(`\`${EXTENSION}.validation\``, origins.validation);
  }
  if (limit !== undefined) needsEnvoy(`\`${EXTENSION}.rate_limit\``, origins.rate_limit);
  if (action.kind !== "upstream") return;
  if ((qos?.retries ?? 0) > 0) needsEnvoy(`\`${EXTENSION}.qos.retries\``, origins.qos);
  if ((qos?.idle_timeout ?? 0) > 0) needsEnvoy(`\`${EXTENSION}.qos.idle_timeout\``, origins.qos);
  for (const { host, rewrite } of action.upstreams) {
    const node = origins.upstream ?? origins.upstreams;
    if (host !== undefined) needsEnvoy("An upstream that is a host", node);
    if (rewrite !== undefined) needsEnvoy("`rewrite` by a regular expression", node);
  }
}

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
