/**
 * Renders the plan of an API or a static route (its routes with their settings) as objects of the Kubernetes Gateway
 * API:
 *
 * ```text
 * RoutePlan -> refuseRoute       settings that a cluster can't express
 *           -> entriesOf         content of the rules, and access to them
 *           -> withDefaultRule   rules for undeclared requests
 *           -> orderPaths        precedence of overlapping templates
 *           -> guardEntries      rules for paths that upstreams may read as other paths
 *           -> renderRoutes      HTTPRoutes, SecurityPolicies, BackendTrafficPolicies
 * ```
 *
 * Rendering is deterministic, and a small change of a plan changes few objects.
 *
 * @module
 */
import { keyOfObject, type KubernetesObject } from "../object.ts";
import { withDefaultRule } from "./default_rule.ts";
import { guardEntries } from "./guard_rules.ts";
import { isSplit, objectsOf, renderRoutes } from "./http_routes.ts";
import { isTooLong, orderedMatchOf, orderPaths, type PathOrder } from "./path_order.ts";
import { patternOf } from "./path_pattern.ts";
import { type MatchedRule, takesFrom } from "./precedence.ts";
import { nodeOf, Refusals, type RefuseSetting } from "./refuse.ts";
import { refuseAmbiguousLogins, refuseScatteredLogins } from "./refuse_auth.ts";
import { refuseConditionPairs } from "./refuse_conditions.ts";
import { refuseHosts } from "./refuse_hosts.ts";
import { refuseOverlaps } from "./refuse_portable.ts";
import { refuseRoute } from "./refuse_route.ts";
import { createContext, type RenderContext, type Rendering, type RenderOptions } from "./rendering.ts";
import { entriesOf, hasKnownMethod, matchedMethods, type RouteEntry } from "./route_entry.ts";
import { matchRulesOf } from "./route_match.ts";
import { declaredPaths } from "./undeclared_rules.ts";
import { loginsOf } from "../../gateway/login.ts";
import type { RoutePlan } from "../../gateway/route.ts";

export type { Mocks, Profile, Protection, Rendering, RenderOptions } from "./rendering.ts";

export function renderGatewayApi(plan: RoutePlan, options: RenderOptions): Rendering {
  const context = createContext(plan, options);
  const { neighbours, profile } = context;
  const refusals = new Refusals();
  const refuse: RefuseSetting = (node, message) => refusals.add(node, message);

  refuseHosts(plan, refuse);
  const routes = plan.routes.filter((route) => !refuseRoute(route, context, refuse));
  const supported = { ...plan, routes };
  const declared = entriesOf(supported, context).filter(hasKnownMethod);
  const complete = withDefaultRule(supported, declared, context);
  const necessary = complete.filter((entry) => !entry.isDisabled || isShadowed(entry, complete, neighbours));

  const order = orderOf(necessary, context);
  const entries = necessary.filter((entry) => !refuseLongPath(entry, order, refuse));
  refuseConditionPairs(entries, plan.routes, refuse);
  if (profile === "portable") refuseOverlaps(entries, neighbours, refuse);

  const guards = guardEntries({ ...context, plan: supported }, order);
  const rendered = renderRoutes([...guards, ...entries], matchRulesOf(entries, order, profile), context);
  refuseAmbiguousLogins([...loginsOf(routes).values()], refuse);
  refuseScatteredLogins(declared, (access) => isSplit(access, rendered), refuse);
  return {
    objects: distinct(objectsOf(rendered)),
    protections: rendered.flatMap(({ protection }) => protection ?? []),
    diagnostics: refusals.diagnostics(),
    counts: countsOf(plan),
  };
}

/**
 * Determines the precedence of all path templates of a plan and its neighbours (the plans that may match the same
 * requests). Each of these plans is rendered by itself, but finds the same precedence.
 */
function orderOf(entries: readonly RouteEntry[], { plan, neighbours, profile }: RenderContext): PathOrder {
  const plans = [plan, ...neighbours];
  const patterns = plans.flatMap(({ routes, hidden }) => [...routes, ...hidden]).map(({ path }) => patternOf(path));
  const hasUndeclared = entries.some(({ isUndeclared, pattern }) => isUndeclared === true && !pattern.isPrefix);
  return orderPaths(patterns, hasUndeclared && profile === "envoy-gateway" ? plans.flatMap(declaredPaths) : []);
}

/** Refuses an entry whose path match is longer than the Gateway API allows. Returns whether it was refused. */
function refuseLongPath({ pattern, route }: RouteEntry, order: PathOrder, refuse: RefuseSetting): boolean {
  if (!isTooLong(orderedMatchOf(pattern, order))) return false;
  const message = "The match of this path is longer than the 1024 characters that the Gateway API allows.";
  refuse(route && nodeOf(route), message);
  return true;
}

/**
 * Tells whether a disabled entry needs a rule that answers 404, because another rule would take its requests. Rules for
 * undeclared requests don't count, since these answer 404, too.
 */
function isShadowed(entry: RouteEntry, entries: readonly RouteEntry[], neighbours: readonly RoutePlan[]): boolean {
  return entries.some((other) =>
    !other.isDisabled && other.isUndeclared === undefined && losesRequestsTo(entry, other)
  ) ||
    neighbours.some(({ routes }) =>
      routes.some(({ path, method, conditions, action }) =>
        action.kind !== "disabled" &&
        losesRequestsTo(entry, { pattern: patternOf(path), methods: matchedMethods(method), conditions })
      )
    );
}

/**
 * Tells whether a rule of another entry would take requests of an entry that had no rule. A prefix takes none, because
 * each declared path has a rule for undeclared requests.
 */
function losesRequestsTo(entry: MatchedRule, other: MatchedRule): boolean {
  return (entry.pattern.isPrefix || !other.pattern.isPrefix) && takesFrom(other, entry);
}

function countsOf({ routes }: RoutePlan): Rendering["counts"] {
  const count = (kind: string): number =>
    routes.filter(({ operation, action }) => (operation !== undefined || kind === "upstream") && action.kind === kind)
      .length;
  return { mocked: count("mock"), proxied: count("upstream"), disabled: count("disabled") };
}

/** Removes repeated objects. The first of equal objects stays. */
function distinct(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const known = new Map<string, KubernetesObject>();
  for (const object of objects) if (!known.has(keyOfObject(object))) known.set(keyOfObject(object), object);
  return [...known.values()];
}
