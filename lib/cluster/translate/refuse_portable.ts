/**
 * For the profile `portable`: refuses settings and templates that the standard channel of the Gateway API can't
 * express.
 *
 * @module
 */
import { compareSpecificity, isConcrete, overlaps, patternOf } from "./path_pattern.ts";
import { nodeOf, type RefuseSetting } from "./refuse.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";
import { type PlannedRoute, type RoutePlan, showPath } from "../../gateway/route.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import { nameOf } from "../../openapi/operation.ts";
import type { Node } from "../../schema/json/node.ts";

/** Refuses the settings of a route that need kinds of Envoy Gateway. */
export function refuseUnportable({ settings, origins, action }: PlannedRoute, refuse: RefuseSetting): void {
  const { auth, validation, rate_limit: limit, qos } = settings;
  const isProxied = action.kind === "upstream";
  const upstreams = isProxied ? action.upstreams : [];
  const upstream = origins.upstream ?? origins.upstreams;
  const checks: readonly [isUsed: boolean, subject: string, node: Node | undefined][] = [
    [auth !== undefined, `\`${EXTENSION}.auth\``, origins.auth],
    [validation?.request?.enabled === true && isProxied, `\`${EXTENSION}.validation\``, origins.validation],
    [limit !== undefined, `\`${EXTENSION}.rate_limit\``, origins.rate_limit],
    [(qos?.retries ?? 0) > 0 && isProxied, `\`${EXTENSION}.qos.retries\``, origins.qos],
    [(qos?.idle_timeout ?? 0) > 0 && isProxied, `\`${EXTENSION}.qos.idle_timeout\``, origins.qos],
    ...upstreams.flatMap(({ host, rewrite }): [boolean, string, Node | undefined][] => [
      [host !== undefined, "An upstream that is a host", upstream],
      [rewrite !== undefined, "`rewrite` by a regular expression", upstream],
    ]),
  ];
  for (const [isUsed, subject, node] of checks) {
    if (!isUsed) continue;
    refuse(
      node,
      `${subject} isn't in the standard channel of the Gateway API. Use a fleet with the profile \`envoy-gateway\`.`,
    );
  }
}

/** A rule that may match requests of a path template. */
interface OtherRule extends Pick<RouteEntry, "pattern" | "methods"> {
  /** The key of the rule's content; `undefined` for rules of other plans. */
  readonly key: string | undefined;
  /** The rule's name in messages. */
  readonly name: string;
}

/**
 * Refuses templates that overlap other rules, because the Gateway API leaves the precedence of regular expressions to
 * the implementations. Rules with equal contents may overlap.
 */
export function refuseOverlaps(
  entries: readonly RouteEntry[],
  neighbours: readonly RoutePlan[],
  refuse: RefuseSetting,
): void {
  const others = [...entries.flatMap(ownRule), ...neighbours.flatMap(rulesOf)];
  for (const entry of entries) {
    const { route } = entry;
    if (route === undefined || entry.pattern.isPrefix || isConcrete(entry.pattern)) continue;
    const other = others.find((other) => isAmbiguous(entry, other));
    if (other === undefined) continue;
    const message =
      `\`${showPath(route.path)}\` takes requests that \`${other.name}\` takes, too, and the Gateway API ` +
      "leaves open which rule has precedence. Give both the same action and settings, or use a fleet with the profile " +
      "`envoy-gateway`.";
    refuse(nodeOf(route), message);
  }
}

/**
 * Tells whether a template overlaps a rule so that the Gateway API leaves their precedence open. A prefix always has
 * the lowest precedence.
 */
function isAmbiguous({ pattern, methods, content }: RouteEntry, other: OtherRule): boolean {
  return other.key !== content.key && !other.pattern.isPrefix && other.pattern.shape !== pattern.shape &&
    shareMethod(methods, other.methods) && overlaps(pattern, other.pattern) &&
    (isConcrete(other.pattern) || compareSpecificity(pattern, other.pattern) < 0);
}

/**
 * Returns an entry as a rule that may overlap templates. Entries for undeclared requests don't count. Nor do hidden
 * paths without templates, because every implementation prefers an exact path.
 */
function ownRule({ pattern, methods, content: { key }, route, isUndeclared }: RouteEntry): OtherRule[] {
  if (isUndeclared === true || (route === undefined && isConcrete(pattern))) return [];
  return [{ pattern, methods, key, name: route?.operation ? nameOf(route.operation) : "the rest of the API" }];
}

function rulesOf({ routes, namespace, name }: RoutePlan): OtherRule[] {
  return routes.map(({ path, method }) => ({
    pattern: patternOf(path),
    methods: method === "*" ? [] : [method],
    key: undefined,
    name: `${method === "*" ? "" : `${method} `}${showPath(path)} of ${namespace}/${name}`,
  }));
}
