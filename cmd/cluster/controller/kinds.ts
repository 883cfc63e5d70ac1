/**
 * The kinds of objects that the controller reads and writes.
 *
 * @module
 */
import { ENVOY_API, GATEWAY_API, GATEWAY_GROUP } from "../../../lib/cluster/translate/gateway_api.ts";
import { CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import type { ResourceType } from "../client.ts";

/** The kinds of gw's custom resources. */
export const RESOURCE_TYPES = CUSTOM_RESOURCES satisfies Record<string, ResourceType>;

/** The kinds of the Gateway API and of Envoy Gateway. */
export const HTTP_ROUTE: ResourceType = { apiVersion: GATEWAY_API, kind: "HTTPRoute", plural: "httproutes" };
export const GATEWAY: ResourceType = { apiVersion: GATEWAY_API, kind: "Gateway", plural: "gateways" };
export const GATEWAY_CLASS: ResourceType = {
  apiVersion: GATEWAY_API,
  kind: "GatewayClass",
  plural: "gatewayclasses",
  isClusterWide: true,
};
export const ENVOY_PROXY: ResourceType = { apiVersion: ENVOY_API, kind: "EnvoyProxy", plural: "envoyproxies" };

/** The kind of the policies by which Envoy Gateway refuses requests. */
export const SECURITY_POLICY: ResourceType = {
  apiVersion: ENVOY_API,
  kind: "SecurityPolicy",
  plural: "securitypolicies",
};

/** The kind of the policies for retries, rate limits and idle timeouts. */
export const TRAFFIC_POLICY = "BackendTrafficPolicy";

export function isRoute({ kind }: { kind: string }): boolean {
  return kind === HTTP_ROUTE.kind;
}

/** The kinds of the objects that gw makes and owns. */
export const OWNED_TYPES: readonly ResourceType[] = [
  HTTP_ROUTE,
  GATEWAY,
  { apiVersion: `${GATEWAY_GROUP}/v1beta1`, kind: "ReferenceGrant", plural: "referencegrants" },
  ENVOY_PROXY,
  SECURITY_POLICY,
  { apiVersion: ENVOY_API, kind: TRAFFIC_POLICY, plural: "backendtrafficpolicies" },
  { apiVersion: ENVOY_API, kind: "ClientTrafficPolicy", plural: "clienttrafficpolicies" },
  { apiVersion: ENVOY_API, kind: "HTTPRouteFilter", plural: "httproutefilters" },
  { apiVersion: ENVOY_API, kind: "Backend", plural: "backends" },
];

export const LEASE: ResourceType = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", plural: "leases" };

export const EVENT: ResourceType = { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events" };
