/**
 * The content of a rule: its filters, backendRefs and timeouts. Routes with equal contents share a rule.
 *
 * @module
 */
import { HEADERS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { backendOf } from "./backends.ts";
import { cacheFilters, corsFilters, redirectFilter, rewriteFilters } from "./filters.ts";
import { type BackendRef, durationOf, type RouteFilter, type TrafficSettings } from "./gateway_api.ts";
import type { RenderContext } from "./rendering.ts";
import { trafficSettingsOf } from "./traffic_policy.ts";
import { canonical, shortHash } from "../../gateway/hash.ts";
import { type PlannedRoute, type PlannedUpstream, qualifiedName } from "../../gateway/route.ts";

/** A rule apart from its matches. */
export interface RuleContent {
  /** The name of the rule: readable, and the same in each rendering of the same content. */
  readonly name: string;
  /** Equal for equal contents. */
  readonly key: string;
  readonly filters: readonly RouteFilter[];
  readonly backendRefs: readonly BackendRef[];
  readonly timeouts: { request: string } | undefined;
  /** The settings of the rule's BackendTrafficPolicy, if it has one. */
  readonly traffic: TrafficSettings | undefined;
  /** Objects that the rule refers to. */
  readonly needs: readonly KubernetesObject[];
  /** The backend is the Service of the mocks. */
  readonly isMocked: boolean;
}

/** The default timeout of an upstream in seconds, the same as in the embedded gateway. */
const REQUEST_TIMEOUT = 60;

/** The default timeout as the Gateway API writes it; a rule with another one has a hash in its name. */
const DEFAULT_DURATION = durationOf(REQUEST_TIMEOUT);

/**
 * The content of the rule for a route. `refuseRoute` has already sorted out routes with settings that a gateway of a
 * cluster can't express.
 */
export function contentOf(route: PlannedRoute, context: RenderContext): RuleContent {
  const { action } = route;
  // A disabled operation must not show by its settings that it exists.
  if (action.kind === "disabled") return notFoundContent(context);
  const filters = [...corsFilters(route), ...cacheFilters(route)];
  const traffic = trafficSettingsOf(route);
  switch (action.kind) {
    case "mock":
      return mockContent("mock", filters, traffic, context);
    case "definition":
      return mockContent("definition", filters, traffic, context);
    case "redirect":
      return makeContent("redirect", { filters: [...filters, redirectFilter(action.redirect)], traffic });
    case "upstream":
      // An operation without an upstream is answered 501 by the mocks.
      return action.upstreams.length === 0
        ? mockContent("mock", filters, traffic, context)
        : upstreamContent(route, action.upstreams, filters, context);
  }
}

/** The content of a rule for a path that the definition doesn't declare: the mocks answer 404. */
export function notFoundContent(context: RenderContext): RuleContent {
  return mockContent("mock", [], undefined, context);
}

/**
 * The content of a rule for undeclared requests: those that no operation of an API handles. The mocks answer 404 or
 * 405, and never with the response of an operation: while a new rule of a protected operation is on its way to the
 * proxies, the operation's requests match this rule.
 */
export function undeclaredContent(context: RenderContext): RuleContent {
  const filters = [setHeaders({ [HEADERS.api]: qualifiedName(context.plan), [HEADERS.undeclared]: "true" })];
  return makeContent("undeclared", { filters, backendRefs: [mockRef(context)] });
}

/**
 * The content of a rule of a closed group: a protected HTTPRoute whose policies aren't in force yet. The mocks answer
 * 503.
 */
export function closedContent(content: RuleContent, group: string, context: RenderContext): RuleContent {
  const cors = content.filters.filter(({ type }) => type === "CORS");
  const closed = setHeaders({ [HEADERS.api]: qualifiedName(context.plan), [HEADERS.closed]: group });
  return { ...content, filters: [...cors, closed], backendRefs: [mockRef(context)], timeouts: undefined };
}

/** The content, with a filter that removes request headers. */
export function withoutHeaders(content: RuleContent, names: readonly string[]): RuleContent {
  // A rule has at most one filter of each type, so the filters of request headers become one.
  const modifiers = content.filters.flatMap((filter) =>
    filter.type === "RequestHeaderModifier" ? [filter.requestHeaderModifier] : []
  );
  const requestHeaderModifier = {
    ...modifiers[0],
    remove: [...modifiers.flatMap(({ remove = [] }) => remove), ...names],
  };
  const others = content.filters.filter(({ type }) => type !== "RequestHeaderModifier");
  const filters: RouteFilter[] = [...others, { type: "RequestHeaderModifier", requestHeaderModifier }];
  const key = canonical([content.key, names]);
  return { ...content, name: `${content.name}-${shortHash(key)}`, key, filters };
}

function upstreamContent(
  route: PlannedRoute,
  upstreams: readonly PlannedUpstream[],
  filters: readonly RouteFilter[],
  context: RenderContext,
): RuleContent {
  const { settings: { websocket, qos } } = route;
  const backends = upstreams.map((upstream) => ({ ...backendOf(upstream, context), weight: upstream.weight }));
  const [single] = backends.length === 1 ? backends : [];
  const rewrite = rewriteFilters(upstreams, context);
  // A WebSocket may stay open for longer than any request.
  const seconds = websocket === true ? 0 : qos?.request_timeout ?? REQUEST_TIMEOUT;
  return makeContent(single?.name ?? "upstreams", {
    filters: [...filters, apiFilterOf(route, context), ...rewrite.filters],
    backendRefs: single ? [single.ref] : backends.map(({ ref, weight }) => ({ ...ref, weight })),
    timeouts: { request: durationOf(seconds) },
    traffic: trafficSettingsOf(route),
    needs: [...backends.flatMap(({ needs }) => needs), ...rewrite.needs],
  });
}

/**
 * Sets the header that names the API, also in requests to upstreams. Envoy Gateway names clusters (Envoy's groups of
 * backends) by the index of their rule, so that the cluster of a rule may change a moment before the route does. Then
 * the mocks may get requests of an upstream's rule, and find the API by the header. A route without an operation
 * removes gw's headers instead: the mocks trust these headers, and the upstream's address may be that of the mocks.
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

/** Sets the header by which the mocks find the API that answers. */
function apiFilter({ plan }: RenderContext): RouteFilter {
  return setHeaders({ [HEADERS.api]: qualifiedName(plan) });
}

/** A filter that sets request headers, over those of the client. */
function setHeaders(headers: Readonly<Record<string, string>>): RouteFilter {
  const set = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { type: "RequestHeaderModifier", requestHeaderModifier: { set } };
}

function mockRef({ mocks: { name, namespace, port } }: RenderContext): BackendRef {
  return { name, namespace, port };
}

/** Names a content by its backend, and adds a hash if any setting isn't the default. */
function makeContent(
  base: string,
  { filters, backendRefs = [], timeouts, traffic, needs = [] }: Partial<RuleContent> & Pick<RuleContent, "filters">,
): RuleContent {
  const key = canonical([base, filters, backendRefs, timeouts ?? null, traffic ?? null]);
  const isPlain = traffic === undefined && backendRefs.length === 1 &&
    (timeouts === undefined || timeouts.request === DEFAULT_DURATION) &&
    filters.every(({ type }) => type === "RequestHeaderModifier");
  const name = isPlain ? base : `${base}-${shortHash(key)}`;
  return { name, key, filters, backendRefs, timeouts, traffic, needs, isMocked: false };
}
