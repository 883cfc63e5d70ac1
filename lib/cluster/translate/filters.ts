import type { KubernetesObject } from "../object.ts";
import { readOutsideHost } from "./backends.ts";
import { type CorsFilter, ENVOY_API, ENVOY_GROUP, type RequestRedirect, type RouteFilter } from "./gateway_api.ts";
import type { RuleContext } from "./rendering.ts";
import { shortHash } from "../../gateway/hash.ts";
import type { PlannedRoute, PlannedUpstream } from "../../gateway/route.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import type { CorsSettings } from "../../openapi/extension/settings.ts";
import { sharesCredentialsWithAll } from "../../openapi/lint/extensions.ts";

export function corsFilters({ settings: { cors } }: PlannedRoute): RouteFilter[] {
  const filter = cors && corsFilterOf(cors);
  return filter === undefined ? [] : [{ type: "CORS", cors: filter }];
}

/** Adds `Cache-Control` to answers of cacheable methods: an upstream's own `no-store` stays. */
export function cacheFilters({ settings: { cache }, method }: PlannedRoute): RouteFilter[] {
  if (cache?.enabled !== true || cache.max_age === undefined || !/^(?:GET|HEAD|\*)$/.test(method)) return [];
  const add = [{ name: "cache-control", value: `max-age=${cache.max_age}` }];
  return [{ type: "ResponseHeaderModifier", responseHeaderModifier: { add } }];
}

export function redirectOf({ scheme, host, port, path, response_code: code = 302 }: RedirectSettings): RequestRedirect {
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(host === undefined ? {} : { hostname: host.toLowerCase().replace(/\.$/, "") }),
    ...(port === undefined ? {} : { port }),
    ...(path === undefined ? {} : { path: { type: "ReplaceFullPath", replaceFullPath: path } }),
    statusCode: code,
  };
}

type RedirectSettings = Extract<PlannedRoute["action"], { kind: "redirect" }>["redirect"];

/** The filter that rewrites path and host for the upstreams; upstreams with different rewrites were refused before. */
export function rewriteOf(
  upstreams: readonly PlannedUpstream[],
  { name, make }: RuleContext,
): { filters: RouteFilter[]; needs: KubernetesObject[] } {
  const written = upstreams[0]?.rewrite;
  const rewrite = written && readRewrite(written);
  const path = rewrite?.kind === "rewrite"
    ? { pattern: rewrite.pattern, substitution: rewrite.substitution }
    : undefined;
  // A host outside the cluster gets requests with its own name in `Host`.
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

/** The syntax of origins in a CORS filter. */
export const CORS_ORIGIN = /^\*$|^https?:\/\/(?:(?:\*\.)?(?:[a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+|\*)(?::[0-9]{1,5})?$/;

/** The filter for `cors`; `undefined` where no origin is allowed, which needs no filter. */
export function corsFilterOf(settings: CorsSettings): CorsFilter | undefined {
  const { origins = [], methods, headers = [], expose_headers: exposed = [], max_age: age } = settings;
  const credentials = settings.credentials === true && !sharesCredentialsWithAll(settings);
  if (origins.length === 0) return undefined;
  return {
    allowOrigins: allOr(origins),
    ...(credentials ? { allowCredentials: true } : {}),
    allowMethods: methods === undefined ? ["*"] : allOr(methods),
    ...(headers.length === 0 ? {} : { allowHeaders: allOr(headers) }),
    ...(exposed.length === 0 ? {} : { exposeHeaders: allOr(exposed) }),
    ...(age === undefined ? {} : { maxAge: Math.max(1, age) }),
  };
}

/** A list with `*` has no other item. */
function allOr(values: readonly string[]): string[] {
  return values.includes("*") ? ["*"] : [...new Set(values)];
}
