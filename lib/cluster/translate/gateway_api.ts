/**
 * The types of the Gateway API and of Envoy Gateway, with the fields that gw writes.
 *
 * @see {@link https://gateway-api.sigs.k8s.io/reference/api-spec/main/spec/#httproute Gateway API, HTTPRoute}
 * @see {@link https://gateway.envoyproxy.io/docs/api/extension_types/ Envoy Gateway, API reference}
 * @module
 */
import type { PathMatch } from "./path_match.ts";

/** The API group of the Gateway API. */
export const GATEWAY_GROUP = "gateway.networking.k8s.io";

/** The `apiVersion` of the Gateway API's kinds. */
export const GATEWAY_API = "gateway.networking.k8s.io/v1";

/** The API group of Envoy Gateway. */
export const ENVOY_GROUP = "gateway.envoyproxy.io";

/** The `apiVersion` of Envoy Gateway's kinds. */
export const ENVOY_API = `${ENVOY_GROUP}/v1alpha1`;

/** The most items in the lists of an HTTPRoute (Gateway API, `HTTPRouteSpec` and `HTTPRouteRule`). */
export const ROUTE_LIMITS = { hostnames: 16, rules: 16, matchesOfRule: 64, matches: 128, backends: 16 } as const;

/** The methods that a match can name (`HTTPMethod`). A match without a method matches every method. */
export const MATCHED_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
]);

/** A match of a rule (`HTTPRouteMatch`). */
export interface RouteMatch {
  path: PathMatch;
  method?: string;
  headers?: ValueMatch[];
  queryParams?: ValueMatch[];
}

/** The match of a header or a query (`HTTPHeaderMatch`, `HTTPQueryParamMatch`). */
export interface ValueMatch {
  name: string;
  type?: "Exact" | "RegularExpression";
  value: string;
}

/** A filter of a rule (`HTTPRouteFilter`). */
export type RouteFilter =
  | { type: "RequestHeaderModifier"; requestHeaderModifier: HeaderModifier }
  | { type: "ResponseHeaderModifier"; responseHeaderModifier: HeaderModifier }
  | { type: "RequestRedirect"; requestRedirect: RequestRedirect }
  | { type: "URLRewrite"; urlRewrite: { hostname: string } }
  | { type: "CORS"; cors: CorsFilter }
  | { type: "ExtensionRef"; extensionRef: { group: string; kind: string; name: string } };

/** Changes of request or response headers (`HTTPHeaderFilter`). */
export interface HeaderModifier {
  set?: { name: string; value: string }[];
  /** Values to add after those that a header already has. */
  add?: { name: string; value: string }[];
  remove?: string[];
}

/** A redirect (`HTTPRequestRedirectFilter`). */
export interface RequestRedirect {
  scheme?: string;
  hostname?: string;
  port?: number;
  path?: { type: "ReplaceFullPath"; replaceFullPath: string };
  statusCode: number;
}

/** A CORS filter (`HTTPCORSFilter`). */
export interface CorsFilter {
  allowOrigins: string[];
  allowMethods?: string[];
  allowHeaders?: string[];
  exposeHeaders?: string[];
  allowCredentials?: boolean;
  maxAge?: number;
}

/** A backend and its weight (`HTTPBackendRef`). */
export interface BackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

/** A rule of an HTTPRoute (`HTTPRouteRule`). */
export interface RouteRule {
  name: string;
  matches: RouteMatch[];
  filters?: RouteFilter[];
  backendRefs?: BackendRef[];
  timeouts?: { request: string };
}

/** Timeouts, retries and rate limits of a rule, as fields of a `BackendTrafficPolicy`. */
export interface TrafficSettings {
  timeout?: { http: { streamIdleTimeout: string } };
  retry?: { numRetries: number; retryOn: { triggers: string[] } };
  rateLimit?: { local: { rules: { limit: { requests: number; unit: string } }[] } };
}

/** Makes the reference by which a policy attaches to an HTTPRoute. */
export function routeRef(name: string): { group: string; kind: string; name: string } {
  return { group: GATEWAY_GROUP, kind: "HTTPRoute", name };
}

/** Writes seconds as a duration of the Gateway API (GEP-2257), such as `1m30s` or `500ms`. */
export function durationOf(seconds: number): string {
  let rest = Math.round(seconds * 1000);
  let text = "";
  for (const [unit, size] of [["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]] as const) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += `${Math.min(count, 99_999)}${unit}`;
  }
  return text || "0s";
}
