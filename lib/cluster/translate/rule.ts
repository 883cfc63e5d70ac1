/**
 * Makes the content of rules: filters, backends and timeouts. Routes with equal contents share a rule.
 *
 * @module
 */
import { HEADERS, UNDECLARED_RULE } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { backendOf } from "./backends.ts";
import { corsFilters, redirectFilter, responseFilters, rewriteFilters } from "./filters.ts";
import { type BackendRef, durationOf, type RouteFilter, type TrafficSettings } from "./gateway_api.ts";
import type { RenderContext } from "./rendering.ts";
import { trafficSettingsOf } from "./traffic_policy.ts";
import { shortHash, sortedJson } from "../../gateway/hash.ts";
import { type PlannedRoute, type PlannedUpstream, qualifiedName } from "../../gateway/route.ts";

/** A rule without its matches. */
export interface RuleContent {
  /** The name of the rule: readable, and equal in all renderings of the same content. */
  readonly name: string;
  /** The content as JSON, equal for equal contents. */
  readonly key: string;
  readonly filters: readonly RouteFilter[];
  readonly backendRefs: readonly BackendRef[];
  readonly timeouts: { request: string } | undefined;
  /** The settings of the BackendTrafficPolicy for the rule; `undefined` if it needs none. */
  readonly traffic: TrafficSettings | undefined;
  /** The objects that the rule refers to, such as Backends. */
  readonly needs: readonly KubernetesObject[];
  /** Whether the backend is the Service of the mocks. */
  readonly isMocked: boolean;
}

/**
 * The default timeout of a request to an upstream: none. `timeouts.request` limits the whole response, and would cut a
 * stream. Envoy's own limit of silence, 5 minutes, stays. The name of a rule with another timeout has a hash.
 */
const DEFAULT_DURATION = durationOf(0);

/** Makes the content of the rule for a route. Routes with settings that a cluster can't express were refused before. */
export function contentOf(route: PlannedRoute, context: RenderContext): RuleContent {
  const { action } = route;
  // The settings of a disabled operation are ignored, since its responses must not show that it exists.
  if (action.kind === "disabled") return notFoundContent(context);
  const filters = [...corsFilters(route), ...responseFilters(route, context.profile)];
  const traffic = context.profile === "portable" ? undefined : trafficSettingsOf(route);
  switch (action.kind) {
    case "mock":
      return mockContent("mock", filters, traffic, context);
    case "definition":
      return mockContent("definition", filters, traffic, context);
    case "redirect":
      return makeContent("redirect", { filters: [...filters, redirectFilter(action.redirect)], traffic });
    case "upstream":
      // The mocks answer 501 for an operation without an upstream.
      return action.upstreams.length === 0
        ? mockContent("mock", filters, traffic, context)
        : upstreamContent(route, action.upstreams, filters, traffic, context);
  }
}

/** Makes the content of a rule for a path that the definition doesn't declare. The mocks answer 404. */
export function notFoundContent(context: RenderContext): RuleContent {
  return mockContent("mock", [], undefined, context);
}

/**
 * Makes the content of a rule for undeclared requests (those that no operation handles). The mocks answer 404 or 405.
 * They never answer with the response of an operation, because the rule of a protected operation may not have reached
 * the proxies yet, and its requests match this rule until then.
 */
export function undeclaredContent(context: RenderContext): RuleContent {
  const filters = [setHeaders({ [HEADERS.api]: qualifiedName(context.plan), [HEADERS.undeclared]: "true" })];
  return makeContent(UNDECLARED_RULE, { filters, backendRefs: [mockRef(context)] });
}

/** Makes the content of a rule in a closed group, whose policies aren't in force yet. The mocks answer 503. */
export function closedContent(content: RuleContent, group: string, context: RenderContext): RuleContent {
  const cors = content.filters.filter(({ type }) => type === "CORS");
  const closed = setHeaders({ [HEADERS.api]: qualifiedName(context.plan), [HEADERS.closed]: group });
  return { ...content, filters: [...cors, closed], backendRefs: [mockRef(context)], timeouts: undefined };
}

/** Returns the content with a filter that removes request headers. */
export function withoutHeaders(content: RuleContent, names: readonly string[]): RuleContent {
  // A rule may have only one filter of a type, so all changes of request headers are in one filter.
  const modifiers = content.filters.flatMap((filter) =>
    filter.type === "RequestHeaderModifier" ? [filter.requestHeaderModifier] : []
  );
  const requestHeaderModifier = {
    ...modifiers[0],
    remove: [...modifiers.flatMap(({ remove = [] }) => remove), ...names],
  };
  const others = content.filters.filter(({ type }) => type !== "RequestHeaderModifier");
  const filters: RouteFilter[] = [...others, { type: "RequestHeaderModifier", requestHeaderModifier }];
  const key = sortedJson([content.key, names]);
  return { ...content, name: `${content.name}-${shortHash(key)}`, key, filters };
}

function upstreamContent(
  route: PlannedRoute,
  upstreams: readonly PlannedUpstream[],
  filters: readonly RouteFilter[],
  traffic: TrafficSettings | undefined,
  context: RenderContext,
): RuleContent {
  const { settings: { websocket, qos } } = route;
  const backends = upstreams.map((upstream) => ({ ...backendOf(upstream, context), weight: upstream.weight }));
  const [single] = backends.length === 1 ? backends : [];
  const rewrite = rewriteFilters(upstreams, context);
  // A WebSocket may stay open for longer than a request may take, so it has no timeout.
  const request = websocket === true ? DEFAULT_DURATION : durationOf(qos?.request_timeout ?? 0);
  return makeContent(single?.name ?? "upstreams", {
    filters: [...filters, apiFilterOf(route, context), ...rewrite.filters],
    backendRefs: single ? [single.ref] : backends.map(({ ref, weight }) => ({ ...ref, weight })),
    timeouts: { request },
    traffic,
    needs: [...backends.flatMap(({ needs }) => needs), ...rewrite.needs],
  });
}

/**
 * Makes the filter that sets the header for the API, even on requests to upstreams. Envoy Gateway names Envoy's
 * clusters by the index of their rule, so that a cluster may change a moment before the route that uses it. Then
 * requests for an upstream may reach the mocks, which find the API by this header.
 *
 * A route without an operation removes gw's headers instead: the mocks trust these headers, and its upstream may be an
 * address of the mocks.
 */
function apiFilterOf({ operation }: PlannedRoute, context: RenderContext): RouteFilter {
  if (operation !== undefined) return apiFilter(context);
  return { type: "RequestHeaderModifier", requestHeaderModifier: { remove: Object.values(HEADERS) } };
}

function mockContent(
  name: string,
  filters: readonly RouteFilter[],
  traffic: TrafficSettings | undefined,
  context: RenderContext,
): RuleContent {
  const backendRefs = [mockRef(context)];
  return {
    ...makeContent(name, { filters: [...filters, apiFilter(context)], backendRefs, traffic }),
    isMocked: true,
  };
}

function apiFilter({ plan }: RenderContext): RouteFilter {
  return setHeaders({ [HEADERS.api]: qualifiedName(plan) });
}

function setHeaders(headers: Readonly<Record<string, string>>): RouteFilter {
  const set = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { type: "RequestHeaderModifier", requestHeaderModifier: { set } };
}

function mockRef({ mocks: { name, namespace, port } }: RenderContext): BackendRef {
  return { name, namespace, port };
}

/** Gives a content its key and its name: the name of the backend, with a hash if a setting isn't the default. */
function makeContent(
  base: string,
  { filters, backendRefs = [], timeouts, traffic, needs = [] }: Partial<RuleContent> & Pick<RuleContent, "filters">,
): RuleContent {
  const key = sortedJson([base, filters, backendRefs, timeouts ?? null, traffic ?? null]);
  const isPlain = traffic === undefined && backendRefs.length === 1 &&
    (timeouts === undefined || timeouts.request === DEFAULT_DURATION) &&
    filters.every(({ type }) => type === "RequestHeaderModifier");
  const name = isPlain ? base : `${base}-${shortHash(key)}`;
  return { name, key, filters, backendRefs, timeouts, traffic, needs, isMocked: false };
}
