/**
 * What is done with the requests of a route, as a rule of an HTTPRoute has it: equal contents become one rule.
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

/** What becomes of requests, whichever they are. */
export interface RuleContent {
  /** Says what it is, for people. */
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

/** How long an upstream may take where nothing is said, in seconds; the embedded gateway does the same. */
const REQUEST_TIMEOUT = 60;

/** Methods that may be repeated after whatever failure (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** The content of a rule for paths that the definition doesn't have: the mocks answer 404. */
export function nobodysContent(context: RuleContext): RuleContent {
  return mockContent("mock", [], undefined, context);
}

/**
 * The content of a rule for what no other rule of an API takes. The mocks answer 404 or 405 and no operation: a protected
 * one would be answered without its protection while its rule is on its way to the proxies.
 */
export function undeclaredContent(context: RuleContext): RuleContent {
  const set = [{ name: HEADERS.api, value: apiOf(context) }, { name: HEADERS.undeclared, value: "true" }];
  const filters: RouteFilter[] = [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }];
  const backendRefs = [mockRef(context)];
  return finish("undeclared", { filters, backendRefs, timeouts: undefined, traffic: undefined });
}

/** Makes the content of a route's rule. What can't be expressed is left out: it has been refused before. */
export function contentOf(route: PlannedRoute, context: RuleContext): RuleContent {
  const { action, settings } = route;
  // Who isn't there has no settings either.
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
      // The mocks answer 501 where nobody else is named.
      if (action.upstreams.length === 0) return mockContent("mock", filters, traffic, context);
      const backends = action.upstreams.map((upstream) => backendOf(upstream, context));
      const rewrite = rewriteOf(action.upstreams, context);
      // Who is asked changes a moment before the route does, where a rule leads to the mocks from now on: Envoy Gateway
      // names clusters by the places of their rules. The mocks must know by then whose operation is meant.
      // Where no operation is meant, what a client says of itself mustn't get there, should an address be that of the mocks.
      const operation = route.operation === undefined ? NO_API : [apiHeader(context)];
      // Once a connection is a WebSocket, its time isn't that of a request.
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

/** The content of a rule that isn't open yet: the mocks answer 503. */
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

/** Tells the mocks whose operation is meant. Set, not added: what a client says of itself doesn't count. */
function apiHeader(context: RuleContext): RouteFilter {
  const set = [{ name: HEADERS.api, value: apiOf(context) }];
  return { type: "RequestHeaderModifier", requestHeaderModifier: { set } };
}

/** Says that no API is meant. */
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
  // What can't be repeated is sent again only when the upstream can't have seen it.
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
