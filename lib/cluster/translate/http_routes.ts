/**
 * Entries as HTTPRoutes with their policies. Open, checked and protected rules are in HTTPRoutes of their own, so that a
 * protection never depends on other rules.
 *
 * @module
 */
import { LABELS } from "../names.ts";
import { idOf, type KubernetesObject } from "../object.ts";
import { givenHeaders } from "./ext_auth.ts";
import { GATEWAY_API, ROUTE_LIMITS, type RouteMatch, type RouteRule } from "./gateway_api.ts";
import type { MatchesOf } from "./route_match.ts";
import { type Pack, pack, type PathMatches } from "./pack.ts";
import { protectionPolicy, trafficPolicy } from "./security_policy.ts";
import type { MakeObject, Mocks, Protection, RenderOptions } from "./rendering.ts";
import type { Guarding, RouteEntry } from "./route_entry.ts";
import { closedContent, type RuleContent, withoutHeaders } from "./rule.ts";
import { canonical, fingerprintOf } from "../../gateway/hash.ts";
import type { FleetRef, RoutePlan } from "../../gateway/route.ts";

/** The context of HTTPRoutes. */
export interface RouteObjectsContext extends Pick<RenderOptions, "gateway" | "isOpen"> {
  readonly plan: RoutePlan;
  readonly fleet: FleetRef;
  readonly mocks: Mocks;
  readonly make: MakeObject;
  readonly matchesOf: MatchesOf;
  readonly checkedHeaders: readonly string[];
}

/** Makes the objects of entries, in the order in which to apply them: policies before routes. */
export function routeObjects(
  entries: readonly RouteEntry[],
  context: RouteObjectsContext,
): { objects: KubernetesObject[]; protections: Protection[]; isSplit: (guarding: Guarding) => boolean } {
  const { plan } = context;
  const kinds = [...Map.groupBy(entries, ({ guarding }) => kindOf(guarding))].sort(([a], [b]) => a < b ? -1 : 1);
  const routes = kinds.flatMap(([kind, entries]) =>
    hostnameLists(plan.hosts).flatMap((hostnames, index) =>
      pack(pathsOf(entries, context.matchesOf)).map((one) => {
        const parts = [plan.name, plan.kind === "api" ? "" : "static", kind, index === 0 ? "" : `h${index}`, one.name];
        return { kind, ...routeOf(parts.filter((part) => part !== "").join("."), hostnames, one, entries, context) };
      })
    )
  );
  return {
    objects: [
      ...routes.flatMap(({ needs }) => needs),
      ...routes.flatMap(({ policies }) => policies),
      ...routes.map(({ route }) => route),
    ],
    protections: routes.flatMap(({ protection }) => protection ?? []),
    isSplit: (guarding) => routes.filter(({ kind }) => kind === kindOf(guarding)).length > 1,
  };
}

/** The part of a route's name that tells the protection. */
function kindOf(guarding: Guarding): string {
  switch (guarding.kind) {
    case "open":
      return "";
    case "checked":
      return "checked";
    case "protected":
      return `auth-${guarding.key}`;
  }
}

/** The hosts as lists for one route each; an empty list is for any host. */
export function hostnameLists(hosts: readonly string[]): string[][] {
  const named = hosts.filter((host) => host !== "*");
  const lists: string[][] = named.length === hosts.length ? [] : [[]];
  for (let start = 0; start < named.length; start += ROUTE_LIMITS.hostnames) {
    lists.push(named.slice(start, start + ROUTE_LIMITS.hostnames));
  }
  return lists;
}

function pathsOf(entries: readonly RouteEntry[], matchesOf: MatchesOf): PathMatches<RuleContent>[] {
  return [...Map.groupBy(entries, ({ pattern }) => pattern.shape)].map(([shape, entries]) => ({
    shape,
    rules: entries.toSorted((a, b) => orderOf(a) < orderOf(b) ? -1 : 1)
      .flatMap((entry) => rulesOf(entry, matchesOf(entry))),
  }));
}

/**
 * The rules of an entry. Envoy leaves a client's header as it is if the auth server gives no value for that header, and a
 * filter that removes the header removes the server's value too. So requests with such a header have a rule of their own,
 * which goes first because it matches more headers.
 */
function rulesOf(
  { content, guarding, route }: RouteEntry,
  matches: readonly RouteMatch[],
): PathMatches<RuleContent>["rules"] {
  const given = guarding.kind === "protected" ? guarding.auth.custom?.response_headers ?? [] : [];
  if (given.length === 0 || route?.action.kind !== "upstream") return [{ content, matches }];
  const names = givenHeaders(given);
  const withOne = names.flatMap((name) =>
    matches.map(({ headers = [], ...match }): RouteMatch => ({
      ...match,
      headers: [...headers, { name, type: "RegularExpression", value: ".*" }],
    }))
  );
  return [{ content, matches }, { content: withoutHeaders(content, names), matches: withOne }];
}

/** Sorts the operations of a path, so that the output is stable. */
function orderOf({ methods, content }: RouteEntry): string {
  return `${methods.join()} ${content.key}`;
}

interface RenderedRoute {
  route: KubernetesObject;
  needs: readonly KubernetesObject[];
  policies: readonly KubernetesObject[];
  protection?: Protection;
}

function routeOf(
  name: string,
  hostnames: readonly string[],
  { rules }: Pack<RuleContent>,
  [first]: readonly RouteEntry[],
  context: RouteObjectsContext,
): RenderedRoute {
  const { gateway, make, plan, mocks, fleet, isOpen = () => true } = context;
  const guarding = first?.guarding ?? { kind: "open" };
  const isClosed = guarding.kind === "protected" && !isOpen(name);
  const named = nameRules(rules);
  const spec = {
    parentRefs: [gateway],
    ...(hostnames.length === 0 ? {} : { hostnames }),
    rules: named.map(({ name: rule, content, matches }) =>
      ruleOf(rule, isClosed ? closedContent(content, name, { ...plan, mocks, make }) : content, matches)
    ),
  };
  const labels = guarding.kind === "checked" ? { [LABELS.checked]: "true" } : {};
  const route = make({ apiVersion: GATEWAY_API, kind: "HTTPRoute", name, labels, spec });
  const needs = rules.flatMap(({ content }) => content.needs);
  const limits = trafficPolicies(name, named, make);
  if (guarding.kind !== "protected") return { route, needs, policies: limits };

  const { policy, needs: asked } = protectionPolicy(name, guarding, context.checkedHeaders, {
    name: plan.name,
    namespace: plan.namespace,
    fleet,
    mocks,
    make,
  });
  return {
    route,
    needs: [...needs, ...asked],
    policies: [policy, ...limits],
    protection: {
      group: name,
      route: idOf(route),
      policies: [idOf(policy)],
      fingerprint: fingerprintOf(policy.spec),
    },
  };
}

type NamedRule = Pack<RuleContent>["rules"][number] & { name: string };

/** Names rules, so that policies can refer to them. Rules of one content that were split get numbers. */
function nameRules(rules: Pack<RuleContent>["rules"]): NamedRule[] {
  const used = new Map<string, number>();
  return rules.map((rule) => {
    const count = (used.get(rule.content.name) ?? 0) + 1;
    used.set(rule.content.name, count);
    return { ...rule, name: count === 1 ? rule.content.name : `${rule.content.name}.${count}` };
  });
}

function ruleOf(name: string, content: RuleContent, matches: readonly RouteMatch[]): RouteRule {
  const { filters, backendRefs, timeouts } = content;
  return {
    name,
    matches: [...matches],
    ...(filters.length === 0 ? {} : { filters: [...filters] }),
    ...(backendRefs.length === 0 ? {} : { backendRefs: [...backendRefs] }),
    ...(timeouts === undefined ? {} : { timeouts }),
  };
}

function trafficPolicies(route: string, rules: readonly NamedRule[], make: MakeObject): KubernetesObject[] {
  const limited = rules.flatMap(({ name, content: { traffic } }) => traffic === undefined ? [] : [{ name, traffic }]);
  return [...Map.groupBy(limited, ({ traffic }) => canonical(traffic)).values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined ? [] : [trafficPolicy(route, alike.map(({ name }) => name), first.traffic, make)];
  });
}
