/**
 * The content of an HTTPRoute's rule: what happens to the requests of a route. Equal contents become one rule.
 *
 * @module
 */
import { HEADERS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { backendOf } from "./backends.ts";
import { cacheFilters, corsFilters, redirectOf, rewriteOf } from "./filters.ts";
import { type BackendRef, durationOf, type RouteFilter, type TrafficSettings } from "./gateway_api.ts";
import type { RuleContext } from "./rendering.ts";
import { canonical, shortHash } from "../../gateway/hash.ts";
import type { PlannedRoute } from "../../gateway/route.ts";

/** A rule without its matches. */
export interface RuleContent {
  /** A name for people. */
  readonly name: string;
  /** The same for equal contents. */
  readonly key: string;
  readonly filters: readonly RouteFilter[];
  readonly backendRefs: readonly BackendRef[];
  readonly timeouts: { request: string } | undefined;
  readonly traffic: TrafficSettings | undefined;
  /** Objects that the rule refers to. */
  readonly needs: readonly KubernetesObject[];
  /** Whether the mocks answer. */
  readonly isMocked: boolean;
}

/** The default request timeout in seconds, the same as in the embedded gateway. */
const REQUEST_TIMEOUT = 60;

/** Idempotent methods, which may be retried after any failure (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** The content of a rule for paths that the definition doesn't have: the mocks answer 404. */
export function nobodysContent(context: RuleContext): RuleContent {
  return mockContent("mock", [], undefined, context);
}

/**
 * The content of the rule for requests that no other rule of an API takes. The mocks answer 404 or 405, and never an
 * operation: while the rule of a protected operation is on its way to the proxies, they would answer without protection.
 */
export function undeclaredContent(context: RuleContext): RuleContent {
  const set = [{ name: HEADERS.api, value: apiOf(context) }, { name: HEADERS.undeclared, value: "true" }];
  const filters: RouteFilter[] = [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }];
  const backendRefs = [mockRef(context)];
  return finish("undeclared", { filters, backendRefs, timeouts: undefined, traffic: undefined });
}

/** The content of a route's rule, without the settings that were refused before. */
export function contentOf(route: PlannedRoute, context: RuleContext): RuleContent {
  const { action, settings } = route;
  // A hidden operation has no settings.
  if (action.kind === "disabled") return nobodysContent(context);
  const filters = [...corsFilters(route), ...cacheFilters(route)];
  const traffic = trafficOf(route);
  switch (action.kind) {
    case "mock":
      return mockContent("mock", filters, traffic, context);
    case "definition":
      return mockContent("definition", filters, traffic, context);
    case "redirect": {
      const redirect: RouteFilter = { type: "RequestRedirect", requestRedirect: redirectOf(action.redirect) };
      return finish("redirect", { filters: [...filters, redirect], backendRefs: [], timeouts: undefined, traffic });
    }
    case "upstream": {
      // The mocks answer 501 for an operation without an upstream.
      if (action.upstreams.length === 0) return mockContent("mock", filters, traffic, context);
      const backends = action.upstreams.map((upstream) => backendOf(upstream, context));
      const rewrite = rewriteOf(action.upstreams, context);
      // Envoy Gateway names clusters by the indexes of their rules, so a cluster may lead to the mocks a moment before the
      // route does: the mocks need the header by then. Other requests must not bring a client's own header to the mocks.
      const operation = route.operation === undefined ? NO_API : [apiHeader(context)];
      // The request timeout would end a WebSocket.
      const seconds = settings.websocket === true ? 0 : settings.qos?.request_timeout ?? REQUEST_TIMEOUT;
      return finish(backends.length === 1 ? backends[0]?.name ?? "" : "upstreams", {
        filters: [...filters, ...operation, ...rewrite.filters],
        backendRefs: backends.map(({ ref }, index) =>
          backends.length === 1 ? ref : { ...ref, weight: action.upstreams[index]?.weight ?? 0 }
        ),
        timeouts: { request: durationOf(seconds) },
        traffic,
        needs: [...backends.flatMap(({ needs }) => needs), ...rewrite.needs],
      });
    }
  }
}

/** The content of a closed rule: the mocks answer 503. */
export function closedContent(content: RuleContent, group: string, context: RuleContext): RuleContent {
  const set = [{ name: HEADERS.api, value: apiOf(context) }, { name: HEADERS.closed, value: group }];
  return {
    ...content,
    filters: [
      ...content.filters.filter(({ type }) => type === "CORS"),
      { type: "RequestHeaderModifier", requestHeaderModifier: { set } },
    ],
    backendRefs: [mockRef(context)],
    timeouts: undefined,
  };
}

/** The content of a rule whose requests reach the upstream without some headers. */
export function withoutHeaders(content: RuleContent, names: readonly string[]): RuleContent {
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

function mockContent(
  name: string,
  filters: readonly RouteFilter[],
  traffic: TrafficSettings | undefined,
  context: RuleContext,
): RuleContent {
  return {
    ...finish(name, {
      filters: [...filters, apiHeader(context)],
      backendRefs: [mockRef(context)],
      timeouts: undefined,
      traffic,
    }),
    isMocked: true,
  };
}

/** Tells the mocks the API. The filter sets the header, so that a client's own header doesn't count. */
function apiHeader(context: RuleContext): RouteFilter {
  const set = [{ name: HEADERS.api, value: apiOf(context) }];
  return { type: "RequestHeaderModifier", requestHeaderModifier: { set } };
}

/** Removes the headers that tell the mocks the API. */
const NO_API: readonly RouteFilter[] = [
  { type: "RequestHeaderModifier", requestHeaderModifier: { remove: Object.values(HEADERS) } },
];

function apiOf({ namespace, name }: RuleContext): string {
  return `${namespace}/${name}`;
}

function mockRef({ mocks: { name, namespace, port } }: RuleContext): BackendRef {
  return { name, namespace, port };
}

function finish(
  base: string,
  { filters, backendRefs, timeouts, traffic, needs = [] }:
    & Pick<RuleContent, "filters" | "backendRefs" | "timeouts" | "traffic">
    & { needs?: readonly KubernetesObject[] },
): RuleContent {
  const key = canonical([base, filters, backendRefs, timeouts ?? null, traffic ?? null]);
  const isPlain = traffic === undefined && backendRefs.length === 1 && (timeouts?.request ?? "1m") === "1m" &&
    filters.every(({ type }) => type === "RequestHeaderModifier");
  const name = isPlain ? base : `${base}-${shortHash(key)}`;
  return { name, key, filters, backendRefs, timeouts, traffic, needs, isMocked: false };
}

function trafficOf(
  { settings: { qos, rate_limit: limit }, action, method }: PlannedRoute,
): TrafficSettings | undefined {
  const retries = action.kind === "upstream" ? qos?.retries ?? 0 : 0;
  const idle = action.kind === "upstream" ? qos?.idle_timeout ?? 0 : 0;
  if (retries === 0 && idle === 0 && limit === undefined) return undefined;
  // A request that isn't idempotent is retried only if the upstream can't have received it.
  const triggers = IDEMPOTENT.has(method) ? ["5xx"] : ["connect-failure", "refused-stream"];
  return {
    ...(idle === 0 ? {} : { timeout: { http: { streamIdleTimeout: durationOf(idle) } } }),
    ...(retries === 0 ? {} : { retry: { numRetries: retries, retryOn: { triggers } } }),
    ...(limit === undefined ? {} : { rateLimit: { local: { rules: [{ limit: limitOf(limit) }] } } }),
  };
}

function limitOf(
  { requests_per_unit: requests, unit }: NonNullable<PlannedRoute["settings"]["rate_limit"]>,
): { requests: number; unit: string } {
  return { requests, unit: unit.charAt(0).toUpperCase() + unit.slice(1) };
}
