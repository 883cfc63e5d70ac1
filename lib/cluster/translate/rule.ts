/**
 * What is done with the requests of a route, as a rule of an HTTPRoute has it: equal contents become one rule.
 *
 * @module
 */
import { child, type Node } from "../../schema/node.ts";
import type { CustomAuth, Upstream } from "../../openapi/extension/settings.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import type { PlannedRoute, PlannedUpstream } from "../../gateway/route.ts";
import { corsFilterOf } from "./cors_filter.ts";
import { ENVOY_API, ENVOY_GROUP, type TrafficSettings } from "./envoy_gateway.ts";
import { canonical, shortHash } from "../../gateway/hash.ts";
import { type BackendRef, durationOf, type RequestRedirect, type RouteFilter } from "./http_route.ts";
import { HEADERS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import type { MakeObject } from "./owned.ts";
import type { Mocks } from "./rendering.ts";
import { readOutsideHost } from "./upstream_host.ts";

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

/** What contents are made with. */
export interface RuleContext {
  /** Name of the API or static route, and its namespace. */
  readonly name: string;
  readonly namespace: string;
  readonly mocks: Mocks;
  readonly make: MakeObject;
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

function corsFilters({ settings: { cors } }: PlannedRoute): RouteFilter[] {
  const filter = cors && corsFilterOf(cors);
  return filter === undefined ? [] : [{ type: "CORS", cors: filter }];
}

/** `Cache-Control` for answers that are worth keeping: added, so that an upstream's `no-store` stays. */
function cacheFilters({ settings: { cache }, method }: PlannedRoute): RouteFilter[] {
  if (cache?.enabled !== true || cache.max_age === undefined || !/^(?:GET|HEAD|\*)$/.test(method)) return [];
  const add = [{ name: "cache-control", value: `max-age=${cache.max_age}` }];
  return [{ type: "ResponseHeaderModifier", responseHeaderModifier: { add } }];
}

function redirectOf({ scheme, host, port, path, response_code: code = 302 }: RedirectSettings): RequestRedirect {
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(host === undefined ? {} : { hostname: host.toLowerCase().replace(/\.$/, "") }),
    ...(port === undefined ? {} : { port }),
    ...(path === undefined ? {} : { path: { type: "ReplaceFullPath", replaceFullPath: path } }),
    statusCode: code,
  };
}

type RedirectSettings = Extract<PlannedRoute["action"], { kind: "redirect" }>["redirect"];

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

/** A backend, what it is called, and the object that it refers to where it is no Service. */
export interface NamedBackend {
  name: string;
  ref: BackendRef;
  needs: KubernetesObject[];
}

/** The backend of an upstream, or of a server that decides who may pass. */
export function backendOf(
  { service, host }: Pick<Upstream, "service" | "host"> | Pick<CustomAuth, "service" | "host">,
  { name, namespace, make }: Pick<RuleContext, "name" | "namespace" | "make">,
): NamedBackend {
  if (service !== undefined) {
    const { port = 80 } = service;
    const isOwn = service.namespace === undefined || service.namespace === namespace;
    const ref = { name: service.name, ...(isOwn ? {} : { namespace: service.namespace ?? namespace }), port };
    const suffix = isOwn ? "" : `-${shortHash(service.namespace)}`;
    return { name: `${service.name}-${port}${suffix}`, ref, needs: [] };
  }
  const { hostname = "", tls = false } = host ?? {};
  const port = host?.port ?? (tls ? 443 : 80);
  const outside = readOutsideHost(hostname);
  const endpoint = outside.kind === "address"
    ? { ip: { address: outside.address, port } }
    : { fqdn: { hostname: outside.kind === "name" ? outside.name : hostname, port } };
  const sni = outside.kind === "name" ? { sni: outside.name } : {};
  const spec = {
    endpoints: [endpoint],
    ...(tls ? { tls: { wellKnownCACertificates: "System", ...sni } } : {}),
  };
  const backend = make({ apiVersion: ENVOY_API, kind: "Backend", name: `${name}.host-${shortHash(spec)}`, spec });
  const ref = { group: ENVOY_GROUP, kind: "Backend", name: backend.metadata.name };
  return { name: `${slugOf(hostname)}-${port}`, ref, needs: [backend] };
}

/** A host as a part of a rule's name. */
function slugOf(hostname: string): string {
  return hostname.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 100);
}

/** The filter that changes path and host for the upstreams; they all want the same, or have been refused. */
function rewriteOf(
  upstreams: readonly PlannedUpstream[],
  { name, make }: RuleContext,
): { filters: RouteFilter[]; needs: KubernetesObject[] } {
  const written = upstreams[0]?.rewrite;
  const rewrite = written && readRewrite(written);
  const path = rewrite?.kind === "rewrite"
    ? { pattern: rewrite.pattern, substitution: rewrite.substitution }
    : undefined;
  // A server elsewhere is asked by its own name, as a client of its own would.
  const hasHost = upstreams.some(({ host }) => host !== undefined && readOutsideHost(host.hostname).kind === "name");
  if (path === undefined && !hasHost) return { filters: [], needs: [] };
  const spec = {
    urlRewrite: {
      ...(hasHost ? { hostname: { type: "Backend" } } : {}),
      ...(path === undefined ? {} : { path: { type: "ReplaceRegexMatch", replaceRegexMatch: path } }),
    },
  };
  const filter = make({
    apiVersion: ENVOY_API,
    kind: "HTTPRouteFilter",
    name: `${name}.rewrite-${shortHash(spec)}`,
    spec,
  });
  const extensionRef = { group: ENVOY_GROUP, kind: "HTTPRouteFilter", name: filter.metadata.name };
  return { filters: [{ type: "ExtensionRef", extensionRef }], needs: [filter] };
}

/** Where one of the upstreams of a route is written. */
export function upstreamNode({ origins, settings }: PlannedRoute, index: number): Node | undefined {
  if (settings.upstreams !== undefined) return origins.upstreams && child(origins.upstreams, index);
  return origins.upstream;
}
