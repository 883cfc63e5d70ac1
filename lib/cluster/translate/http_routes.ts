/**
 * Renders entries (rules before their matches are made, see route_entry.ts) as HTTPRoutes with their policies. A
 * SecurityPolicy attaches to a whole HTTPRoute. So rules that differ in access (open to all, for valid requests, for
 * clients with credentials: see access.ts) are in separate HTTPRoutes. The rules of one access are split further, by
 * hosts and by the limits of an HTTPRoute.
 *
 * @module
 */
import { LABELS } from "../names.ts";
import { idOf, type KubernetesObject } from "../object.ts";
import { type Access, labelOf } from "./access.ts";
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
  readonly access: Access;
  readonly route: KubernetesObject;
  /** Objects that the route's rules and policies refer to. */
  readonly needs: readonly KubernetesObject[];
  readonly policies: readonly KubernetesObject[];
  readonly protection?: Protection;
}

/** Renders entries as HTTPRoutes. */
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

/** The objects of HTTPRoutes in the order in which to apply them: a policy precedes the route that it protects. */
export function objectsOf(routes: readonly RenderedRoute[]): KubernetesObject[] {
  return [
    ...routes.flatMap(({ needs }) => needs),
    ...routes.flatMap(({ policies }) => policies),
    ...routes.map(({ route }) => route),
  ];
}

/** Tells whether the rules with the same access are in more than one HTTPRoute. A login can't work then. */
export function isSplit(access: Access, routes: readonly RenderedRoute[]): boolean {
  return routes.filter((other) => labelOf(other.access) === labelOf(access)).length > 1;
}

/**
 * Splits hosts into lists of at most as many as one HTTPRoute may have. `*` becomes an empty list of its own, because
 * an HTTPRoute without hostnames is for any host.
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
 * Makes the rules of entries, grouped by path and conditions. They are sorted by method and content, so the order of
 * operations in the definition has no effect on the objects.
 */
function pathsOf(entries: readonly RouteEntry[], matches: MatchRules): PathMatches<RuleContent>[] {
  const groups = Map.groupBy(entries, ({ pattern, conditions }) => shapeWithConditions(pattern, conditions));
  return [...groups].map(([shape, entries]) => ({
    shape,
    rules: distinct(entries).toSorted((a, b) => sortKeyOf(a) < sortKeyOf(b) ? -1 : 1)
      .flatMap((entry) => rulesOf(entry, matchesOf(entry, matches))),
  }));
}

/** Keeps one of the entries with the same methods and content: path keys that differ only by labels share a rule. */
function distinct(entries: readonly RouteEntry[]): RouteEntry[] {
  const known = new Map<string, RouteEntry>();
  for (const entry of entries) if (!known.has(sortKeyOf(entry))) known.set(sortKeyOf(entry), entry);
  return [...known.values()];
}

function sortKeyOf({ methods, content }: RouteEntry): string {
  return `${methods.join()} ${content.key}`;
}

/**
 * Makes the rules of an entry. With `response_headers`, Envoy passes on a client's header of that name if the
 * authorization server sends none. A filter that removes the header would remove the server's header too. So only
 * requests in which the client sends such a header have a rule with this filter: a second rule, whose match has more
 * headers and therefore precedence.
 */
function rulesOf(
  { content, access, conditions, route }: RouteEntry,
  matches: readonly RouteMatch[],
): PathMatches<RuleContent>["rules"] {
  const responseHeaders = access.kind === "protected" ? access.auth.custom?.response_headers ?? [] : [];
  // A rule without an upstream needs no second rule to remove headers. But with conditions it needs one: otherwise the
  // second rule of another operation with the same path, whose match has more headers, would have precedence over it.
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
    access: Access;
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
 * Gives each rule a unique name, which policies refer to by `sectionName`. If a content has too many matches for one
 * rule, its rules are numbered.
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
