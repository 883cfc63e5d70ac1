/**
 * Makes the filters of rules: CORS, `Cache-Control`, redirects and rewrites.
 *
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { readOutsideHost } from "./backends.ts";
import { type CorsFilter, ENVOY_API, ENVOY_GROUP, type RequestRedirect, type RouteFilter } from "./gateway_api.ts";
import { makeObject, type RenderContext } from "./rendering.ts";
import { cacheControlOf, cacheRuleOf } from "../../gateway/cache_control.ts";
import { shortHash } from "../../gateway/hash.ts";
import type { PlannedRoute, PlannedUpstream } from "../../gateway/route.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import type { CorsSettings, Redirect } from "../../openapi/extension/settings.ts";
import { sharesCredentialsWithAll } from "../../openapi/lint/extensions.ts";

/** Makes the CORS filter of a route; none if the route allows no origin. */
export function corsFilters({ settings: { cors } }: PlannedRoute): RouteFilter[] {
  const filter = cors && corsFilterOf(cors);
  return filter === undefined ? [] : [{ type: "CORS", cors: filter }];
}

/**
 * Makes the filter that adds `Cache-Control` to responses to GET and HEAD. What the upstream sends stays in force: the
 * value is added behind it, and of repeated directives caches take the first (RFC 9111, section 4.2.1).
 */
export function cacheFilters(route: PlannedRoute): RouteFilter[] {
  const rule = cacheRuleOf(route);
  const value = rule && cacheControlOf(rule);
  if (value === undefined || value === null || !/^(?:GET|HEAD|\*)$/.test(route.method)) return [];
  const add = [{ name: "cache-control", value }];
  return [{ type: "ResponseHeaderModifier", responseHeaderModifier: { add } }];
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
  // A host outside the cluster gets its own name in `Host`, because it may serve several names.
  const hasHost = upstreams.some(({ host }) => host !== undefined && readOutsideHost(host.hostname).kind === "name");
  if (path === undefined && !hasHost) return { filters: [], needs: [] };
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
  return { filters: [{ type: "ExtensionRef", extensionRef }], needs: [filter] };
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
