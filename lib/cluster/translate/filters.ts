/**
 * Makes the filters of rules: CORS, headers of responses, redirects and rewrites.
 *
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { readOutsideHost } from "./backends.ts";
import { type CorsFilter, ENVOY_API, ENVOY_GROUP, type RequestRedirect, type RouteFilter } from "./gateway_api.ts";
import { makeObject, type Profile, type RenderContext } from "./rendering.ts";
import { cacheControlOf, cacheRuleOf } from "../../gateway/cache_control.ts";
import { shortHash } from "../../gateway/hash.ts";
import type { PlannedRoute, PlannedUpstream } from "../../gateway/route.ts";
import { SHARING_HEADERS } from "../../mock/answer/cors.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import type { CorsSettings, Redirect } from "../../openapi/extension/settings.ts";
import { sharesCredentialsWithAll } from "../../openapi/lint/extensions.ts";

/** Makes the CORS filter of a route; none if the route allows no origin. */
export function corsFilters({ settings: { cors } }: PlannedRoute): RouteFilter[] {
  const filter = cors && corsFilterOf(cors);
  return filter === undefined ? [] : [{ type: "CORS", cors: filter }];
}

/**
 * Makes the filter that changes headers of responses; none if there is nothing to change. A rule may have only one.
 *
 * - `Cache-Control` is added to responses to GET and HEAD. What the upstream sends stays in force: the value is added
 *   behind it, and of repeated directives caches take the first (RFC 9111, section 4.2.1).
 * - With `cors`, the CORS headers of the upstream are removed before Envoy's CORS filter sets its own: `*` would share
 *   the response with the pages of origins that `cors` doesn't list. In the portable profile they stay, because other
 *   gateways may remove those of the filter.
 */
export function responseFilters(route: PlannedRoute, profile: Profile): RouteFilter[] {
  const { settings, method, action } = route;
  const rule = cacheRuleOf(route);
  const value = rule && cacheControlOf(rule);
  const isCached = typeof value === "string" && /^(?:GET|HEAD|\*)$/.test(method);
  const isShared = profile === "envoy-gateway" && action.kind === "upstream" && settings.cors !== undefined;
  if (!isCached && !isShared) return [];
  const responseHeaderModifier = {
    ...(isCached ? { add: [{ name: "cache-control", value }] } : {}),
    ...(isShared ? { remove: [...SHARING_HEADERS] } : {}),
  };
  return [{ type: "ResponseHeaderModifier", responseHeaderModifier }];
}

/** Makes the filter of a redirect. */
export function redirectFilter({ scheme, host, port, path, response_code: code = 302 }: Redirect): RouteFilter {
  const requestRedirect: RequestRedirect = {
    ...(scheme === undefined ? {} : { scheme }),
    ...(host === undefined ? {} : { hostname: host.toLowerCase().replace(/\.$/, "") }),
    ...(port === undefined ? {} : { port }),
    ...(path === undefined ? {} : { path: { type: "ReplaceFullPath", replaceFullPath: path } }),
    statusCode: code,
  };
  return { type: "RequestRedirect", requestRedirect };
}

/**
 * Makes the filter that rewrites path and host for upstreams. Upstreams of one route with different rewrites are
 * refused elsewhere.
 */
export function rewriteFilters(
  upstreams: readonly PlannedUpstream[],
  context: RenderContext,
): { filters: RouteFilter[]; needs: KubernetesObject[] } {
  const written = upstreams[0]?.rewrite;
  const rewrite = written && readRewrite(written);
  const path = rewrite?.kind === "rewrite"
    ? { pattern: rewrite.pattern, substitution: rewrite.substitution }
    : undefined;
  const hostname = ownHostOf(upstreams, context);
  const ofService: RouteFilter[] = hostname?.kind === "service"
    ? [{ type: "URLRewrite", urlRewrite: { hostname: hostname.name } }]
    : [];
  const hasHost = hostname?.kind === "host";
  if (path === undefined && !hasHost) return { filters: ofService, needs: [] };
  const spec = {
    urlRewrite: {
      ...(hasHost ? { hostname: { type: "Backend" } } : {}),
      ...(path === undefined ? {} : { path: { type: "ReplaceRegexMatch", replaceRegexMatch: path } }),
    },
  };
  const filter = makeObject(context, {
    apiVersion: ENVOY_API,
    kind: "HTTPRouteFilter",
    name: `${context.plan.name}.rewrite-${shortHash(spec)}`,
    spec,
  });
  const extensionRef = { group: ENVOY_GROUP, kind: "HTTPRouteFilter", name: filter.metadata.name };
  return { filters: [...ofService, { type: "ExtensionRef", extensionRef }], needs: [filter] };
}

/**
 * Returns the host that the upstreams get in place of the client's; `undefined` if they get that. A host outside the
 * cluster gets its own name by default, because it may serve several names. Upstreams of one route with different hosts
 * are refused elsewhere.
 */
function ownHostOf(
  upstreams: readonly PlannedUpstream[],
  { plan }: RenderContext,
): { kind: "host" } | { kind: "service"; name: string } | undefined {
  for (const { service, host, host_header: header } of upstreams) {
    if (service !== undefined && header === "upstream") {
      return { kind: "service", name: `${service.name}.${service.namespace ?? plan.namespace}.svc` };
    }
    const isNamed = host !== undefined && readOutsideHost(host.hostname).kind === "name";
    if (isNamed && header !== "client") return { kind: "host" };
  }
  return undefined;
}

/** Matches an origin that a CORS filter can have (`CORSOrigin` of the Gateway API). */
export const CORS_ORIGIN = /^\*$|^https?:\/\/(?:(?:\*\.)?(?:[a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+|\*)(?::[0-9]{1,5})?$/;

function corsFilterOf(settings: CorsSettings): CorsFilter | undefined {
  const { origins = [], methods, headers = [], expose_headers: exposed = [], max_age: age } = settings;
  const credentials = settings.credentials === true && !sharesCredentialsWithAll(settings);
  if (origins.length === 0) return undefined;
  return {
    allowOrigins: collapseWildcard(origins),
    ...(credentials ? { allowCredentials: true } : {}),
    allowMethods: methods === undefined ? ["*"] : collapseWildcard(methods),
    ...(headers.length === 0 ? {} : { allowHeaders: collapseWildcard(headers) }),
    ...(exposed.length === 0 ? {} : { exposeHeaders: collapseWildcard(exposed) }),
    ...(age === undefined ? {} : { maxAge: Math.max(1, age) }),
  };
}

/** Returns the values without repetitions, or `*` alone if it is among them. */
function collapseWildcard(values: readonly string[]): string[] {
  return values.includes("*") ? ["*"] : [...new Set(values)];
}
