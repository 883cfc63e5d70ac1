/**
 * Renders entries (rules before their matches are made, see route_entry.ts) as HTTPRoutes with their policies.
 *
 * A SecurityPolicy attaches to a whole HTTPRoute. So rules with different access (open, for valid requests, or for
 * requests with credentials; see access.ts) are in different HTTPRoutes. The rules with one access are divided further,
 * by hosts and by the limits of an HTTPRoute.
 *
 * @module
 */
import { LABELS } from "../names.ts";
import { idOf, type KubernetesObject } from "../object.ts";
import { labelOf, type RouteAccess } from "./access.ts";
import { declaredHeaders, extAuthHeaders, lowerCaseNames } from "./ext_auth.ts";
import { GATEWAY_API, ROUTE_LIMITS, type RouteMatch, type RouteRule } from "./gateway_api.ts";
import { type Pack, pack, type PathMatches } from "./pack.ts";
import { makeObject, type Protection, type RenderContext } from "./rendering.ts";
import { type RouteEntry, shapeWithConditions } from "./route_entry.ts";
import { matchesOf, type MatchRules } from "./route_match.ts";
import { closedContent, type RuleContent, withoutHeaders } from "./rule.ts";
import { securityPolicy } from "./security_policy.ts";
import { trafficPolicies } from "./traffic_policy.ts";
import { fingerprintOf } from "../../gateway/hash.ts";

/** An HTTPRoute with its policies. */
export interface RenderedRoute {
  readonly access: RouteAccess;
  readonly route: KubernetesObject;
  /** The objects that rules and policies of the route refer to, such as Backends. */
  readonly needs: readonly KubernetesObject[];
  readonly policies: readonly KubernetesObject[];
  readonly protection?: Protection;
}

export function renderRoutes(
  entries: readonly RouteEntry[],
  matches: MatchRules,
  context: RenderContext,
): RenderedRoute[] {
  const { plan } = context;
  const headers = extAuthHeaders(declaredHeaders(plan));
  const kind = plan.kind === "api" ? "" : "static";
  const groups = [...Map.groupBy(entries, ({ access }) => labelOf(access))].sort(([a], [b]) => a < b ? -1 : 1);
  return groups.flatMap(([label, entries]) =>
    splitHosts(plan.hosts).flatMap((hostnames, index) =>
      pack(pathsOf(entries, matches)).map(({ name: digits, rules }) => {
        const parts = [plan.name, kind, label, index === 0 ? "" : `h${index}`, digits];
        const name = parts.filter((part) => part !== "").join(".");
        return renderRoute(
          { name, hostnames, rules, access: entries[0]?.access ?? { kind: "open" } },
          headers,
          context,
        );
      })
    )
  );
}

/**
 * Returns the objects of HTTPRoutes in the order in which they are applied: a policy comes before the route that it
 * protects.
 */
export function objectsOf(routes: readonly RenderedRoute[]): KubernetesObject[] {
  return [
    ...routes.flatMap(({ needs }) => needs),
    ...routes.flatMap(({ policies }) => policies),
    ...routes.map(({ route }) => route),
  ];
}

/** Tells whether the rules with this access are in more than one HTTPRoute, so that a login can't work. */
export function isSplit(access: RouteAccess, routes: readonly RenderedRoute[]): boolean {
  return routes.filter((other) => labelOf(other.access) === labelOf(access)).length > 1;
}

/**
 * Splits hosts into lists that are short enough for one HTTPRoute. `*` becomes an empty list, because an HTTPRoute
 * without hostnames is for every host.
 */
function splitHosts(hosts: readonly string[]): string[][] {
  const named = hosts.filter((host) => host !== "*");
  const lists: string[][] = named.length === hosts.length ? [] : [[]];
  for (let start = 0; start < named.length; start += ROUTE_LIMITS.hostnames) {
    lists.push(named.slice(start, start + ROUTE_LIMITS.hostnames));
  }
  return lists;
}

/**
 * Makes the rules of entries, in groups of equal path and conditions. The rules are sorted by method and content, so
 * that the order of operations in the definition has no effect on the objects.
 */
function pathsOf(entries: readonly RouteEntry[], matches: MatchRules): PathMatches<RuleContent>[] {
  const groups = Map.groupBy(entries, ({ pattern, conditions }) => shapeWithConditions(pattern, conditions));
  return [...groups].map(([shape, entries]) => ({
    shape,
    rules: distinct(entries).toSorted((a, b) => sortKeyOf(a) < sortKeyOf(b) ? -1 : 1)
      .flatMap((entry) => rulesOf(entry, matchesOf(entry, matches))),
  }));
}

/** Removes entries with repeated methods and content: operations whose path keys differ only by labels share a rule. */
function distinct(entries: readonly RouteEntry[]): RouteEntry[] {
  const known = new Map<string, RouteEntry>();
  for (const entry of entries) if (!known.has(sortKeyOf(entry))) known.set(sortKeyOf(entry), entry);
  return [...known.values()];
}

function sortKeyOf({ methods, announced = [], content, guards = [] }: RouteEntry): string {
  return `${[...methods, ...announced].join()} ${content.key}${guards.map(({ value }) => ` ${value}`).join("")}`;
}

/**
 * Makes the rules of an entry.
 *
 * If `auth.custom.response_headers` names a header that the authorization server doesn't send, Envoy would forward a
 * client's header of this name, which could be forged. A filter that removes the header would remove the server's
 * header as well. So requests in which the client sends the header match a second rule, which has this filter. Its
 * match has more headers, and therefore precedence.
 */
function rulesOf(
  { content, access, conditions, route }: RouteEntry,
  matches: readonly RouteMatch[],
): PathMatches<RuleContent>["rules"] {
  const responseHeaders = access.kind === "protected" ? access.auth.custom?.response_headers ?? [] : [];
  // Without an upstream, no client's header can reach one, and one rule is enough. But an entry with conditions needs
  // the second rule all the same. Otherwise the second rule of another operation of this path, which has more headers,
  // would take precedence.
  const isAlone = route?.action.kind !== "upstream" && conditions === undefined;
  if (responseHeaders.length === 0 || isAlone) return [{ content, matches }];
  const names = lowerCaseNames(responseHeaders);
  const withHeader = names.flatMap((name) =>
    matches.map(({ headers = [], ...match }): RouteMatch => ({
      ...match,
      headers: [...headers, { name, type: "RegularExpression", value: ".*" }],
    }))
  );
  return [{ content, matches }, { content: withoutHeaders(content, names), matches: withHeader }];
}

function renderRoute(
  { name, hostnames, rules, access }: {
    name: string;
    hostnames: readonly string[];
    rules: Pack<RuleContent>["rules"];
    access: RouteAccess;
  },
  headers: readonly string[],
  context: RenderContext,
): RenderedRoute {
  const isClosed = access.kind === "protected" && !context.isOpen(name);
  const named = nameRules(rules);
  const spec = {
    parentRefs: [context.gateway],
    ...(hostnames.length === 0 ? {} : { hostnames }),
    rules: named.map(({ name: rule, content, matches }) =>
      ruleOf(rule, isClosed ? closedContent(content, name, context) : content, matches)
    ),
  };
  const labels = access.kind === "checked" ? { [LABELS.checked]: "true" } : {};
  const route = makeObject(context, { apiVersion: GATEWAY_API, kind: "HTTPRoute", name, labels, spec });
  const needs = rules.flatMap(({ content }) => content.needs);
  const traffic = trafficPolicies(name, named, context);
  if (access.kind !== "protected") return { access, route, needs, policies: traffic };

  const security = securityPolicy(name, access, headers, context);
  return {
    access,
    route,
    needs: [...needs, ...security.needs],
    policies: [security.policy, ...traffic],
    protection: {
      group: name,
      route: idOf(route),
      policies: [idOf(security.policy)],
      fingerprint: fingerprintOf(security.policy.spec),
    },
  };
}

type NamedRule = Pack<RuleContent>["rules"][number] & { name: string };

/**
 * Gives each rule a unique name, by which policies refer to it (`sectionName`). If a content has more matches than one
 * rule may have, its rules are numbered.
 */
function nameRules(rules: Pack<RuleContent>["rules"]): NamedRule[] {
  const used = new Map<string, number>();
  return rules.map((rule) => {
    const count = (used.get(rule.content.name) ?? 0) + 1;
    used.set(rule.content.name, count);
    return { ...rule, name: count === 1 ? rule.content.name : `${rule.content.name}.${count}` };
  });
}

function ruleOf(
  name: string,
  { filters, backendRefs, timeouts }: RuleContent,
  matches: readonly RouteMatch[],
): RouteRule {
  return {
    name,
    matches: [...matches],
    ...(filters.length === 0 ? {} : { filters: [...filters] }),
    ...(backendRefs.length === 0 ? {} : { backendRefs: [...backendRefs] }),
    ...(timeouts === undefined ? {} : { timeouts }),
  };
}
