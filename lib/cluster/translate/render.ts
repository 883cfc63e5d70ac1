/**
 * The plan of an API as objects of the Kubernetes Gateway API:
 *
 * ```text
 * RoutePlan -> entriesOf -> withDefaultRule -> createPathOrder -> pack -> HTTPRoutes and policies
 * ```
 *
 * The same plan gives the same objects, and a small change of it changes few of them.
 *
 * @module
 */
import { MOCKS } from "../names.ts";
import { keyOfObject, type KubernetesObject } from "../object.ts";
import { withDefaultRule } from "./default_rule.ts";
import { checkedHeaders, headerList } from "./ext_auth.ts";
import { createMatches } from "./route_match.ts";
import { createPathOrder, isTooLong } from "./path_order.ts";
import { compareSpecificity, overlaps, patternOf } from "./path_pattern.ts";
import { refuseOverlaps } from "./refuse_portable.ts";
import { refuseRoute } from "./refuse_route.ts";
import { createRefuse, nodeOf, refuseHosts } from "./refuse_hosts.ts";
import { refuseLogins } from "./refuse_auth.ts";
import { createMakeObject, type Rendering, type RenderOptions } from "./rendering.ts";
import { entriesOf, hasKnownMethod, type RouteEntry, shareMethod } from "./route_entry.ts";
import { routeObjects } from "./http_routes.ts";
import { undeclaredContent } from "./rule.ts";
import { declaredPaths } from "./undeclared_rules.ts";
import { shareHost } from "../../gateway/hosts.ts";
import { loginsOf } from "../../gateway/login.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import { child } from "../../schema/node.ts";

export type { Mocks, Profile, Protection, Rendering, RenderOptions } from "./rendering.ts";

/** Renders a plan as objects of the Kubernetes Gateway API. */
export function renderGatewayApi(plan: RoutePlan, options: RenderOptions): Rendering {
  const { profile, mocks = MOCKS, owner } = options;
  const neighbours = (options.neighbours ?? []).filter((other) =>
    // Templates go before a prefix wherever they are.
    !isSame(plan, other) && (plan.kind === "api" || other.kind === plan.kind) && shareHost(plan.hosts, other.hosts)
  );
  const { refuse, diagnostics } = createRefuse();
  const { name, namespace, fleet } = plan;
  const make = createMakeObject(plan, owner);

  const hosts = child(child(plan.document.root, EXTENSION), "hosts");
  refuseHosts(plan.hosts, hosts, refuse);
  const routes = plan.routes.filter((route) => !refuseRoute(route, { ...options, mocks, namespace }, refuse));
  const context = { name, namespace, mocks, make };
  const accepted = { ...plan, routes };
  const all = entriesOf(accepted, neighbours, context).filter(hasKnownMethod);
  const chosen = withDefaultRule(accepted, all, { neighbours, undeclared: undeclaredContent(context), profile });
  const entries = chosen.filter((entry) => !entry.isDisabled || isCaught(entry, chosen, neighbours));

  const plans = [plan, ...neighbours];
  const hasUndeclared = entries.some(({ isUndeclared, pattern }) => isUndeclared === true && !pattern.isPrefix);
  const order = createPathOrder(
    plans.flatMap(({ routes, hidden }) => [...routes, ...hidden]).map(({ path }) => patternOf(path)),
    hasUndeclared && profile === "envoy-gateway" ? plans.flatMap(declaredPaths) : [],
  );
  const expressible = entries.filter(({ pattern, route }) => {
    if (!isTooLong(order(pattern))) return true;
    refuse(
      route && nodeOf(route),
      "This path, as a gateway matches it, is longer than the 1024 characters that it may have.",
    );
    return false;
  });
  if (profile === "portable") refuseOverlaps(expressible, neighbours, refuse);

  const matchesOf = createMatches(expressible, order, profile);
  const rendered = routeObjects(expressible, {
    ...options,
    mocks,
    plan,
    make,
    fleet,
    matchesOf,
    checkedHeaders: headerList(checkedHeaders(plan)),
  });
  refuseLogins([...loginsOf(routes).values()], all, rendered.isSplit, refuse);
  const { objects, protections } = rendered;
  return { objects: distinct(objects), protections, refusals: diagnostics(), counts: countsOf(plan) };
}

/** Whether another rule would take what is disabled. */
function isCaught(entry: RouteEntry, entries: readonly RouteEntry[], neighbours: readonly RoutePlan[]): boolean {
  const { pattern, methods } = entry;
  const isBehind = (other: Pick<RouteEntry, "pattern" | "methods">): boolean =>
    // The rule for undeclared requests keeps declared paths from prefixes.
    (pattern.isPrefix || !other.pattern.isPrefix) && shareMethod(methods, other.methods) &&
    overlaps(pattern, other.pattern) &&
    compareSpecificity(pattern, other.pattern) < 0;
  return entries.some((other) => !other.isDisabled && other.isUndeclared === undefined && isBehind(other)) ||
    neighbours.some(({ routes }) =>
      routes.some(({ path, method, action }) =>
        action.kind !== "disabled" && isBehind({
          pattern: patternOf(path),
          methods: method === "*" ? [] : method === "GET" ? ["GET", "HEAD"] : [method],
        })
      )
    );
}

function countsOf({ routes }: RoutePlan): Rendering["counts"] {
  const count = (kind: string): number =>
    routes.filter(({ operation, action }) => (operation !== undefined || kind === "upstream") && action.kind === kind)
      .length;
  return { mocked: count("mock"), proxied: count("upstream"), disabled: count("disabled") };
}

/** Each object once, where it is needed first. */
function distinct(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const known = new Map<string, KubernetesObject>();
  for (const object of objects) if (!known.has(keyOfObject(object))) known.set(keyOfObject(object), object);
  return [...known.values()];
}

function isSame(a: RoutePlan, b: RoutePlan): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}
