/**
 * Makes the BackendTrafficPolicies of Envoy Gateway for rate limits, retries and idle timeouts.
 *
 * @see {@link https://gateway.envoyproxy.io/docs/api/extension_types/#backendtrafficpolicy Envoy Gateway, BackendTrafficPolicy}
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { durationOf, ENVOY_API, routeRef, type TrafficSettings } from "./gateway_api.ts";
import { makeObject, type RenderContext } from "./rendering.ts";
import { shortHash, sortedJson } from "../../gateway/hash.ts";
import type { PlannedRoute } from "../../gateway/route.ts";
import { isIdempotent } from "../../http/method.ts";

/** Returns the settings of a route for a BackendTrafficPolicy; `undefined` if it needs none. */
export function trafficSettingsOf(
  { settings: { qos, rate_limit: limit }, action, method }: PlannedRoute,
): TrafficSettings | undefined {
  const retries = action.kind === "upstream" ? qos?.retries ?? 0 : 0;
  const idle = action.kind === "upstream" ? qos?.idle_timeout : undefined;
  if (retries === 0 && idle === undefined && limit === undefined) return undefined;
  // A request that isn't idempotent is sent again only if the upstream can't have processed it.
  const triggers = isIdempotent(method) ? ["5xx"] : ["connect-failure", "refused-stream"];
  return {
    ...(idle === undefined ? {} : { timeout: { http: { streamIdleTimeout: durationOf(idle) } } }),
    ...(retries === 0 ? {} : { retry: { numRetries: retries, retryOn: { triggers } } }),
    ...(limit === undefined ? {} : { rateLimit: { local: { rules: [{ limit: limitOf(limit) }] } } }),
  };
}

function limitOf(
  { requests_per_unit: requests, unit }: NonNullable<PlannedRoute["settings"]["rate_limit"]>,
): { requests: number; unit: string } {
  return { requests, unit: unit.charAt(0).toUpperCase() + unit.slice(1) };
}

/**
 * Makes the BackendTrafficPolicies of an HTTPRoute. Rules with equal settings share a policy, which refers to each of
 * them by `sectionName`.
 */
export function trafficPolicies(
  route: string,
  rules: readonly { name: string; content: { traffic: TrafficSettings | undefined } }[],
  context: RenderContext,
): KubernetesObject[] {
  const limited = rules.flatMap(({ name, content: { traffic } }) => traffic === undefined ? [] : [{ name, traffic }]);
  const groups = [...Map.groupBy(limited, ({ traffic }) => sortedJson(traffic)).values()];
  return groups.flatMap((group) =>
    group.slice(0, 1).map(({ traffic }) =>
      makeObject(context, {
        apiVersion: ENVOY_API,
        kind: "BackendTrafficPolicy",
        name: `${route}.${shortHash(traffic)}`,
        spec: { targetRefs: group.map(({ name }) => ({ ...routeRef(route), sectionName: name })), ...traffic },
      })
    )
  );
}
