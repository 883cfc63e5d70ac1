/**
 * The kinds of objects that the controller works with.
 *
 * @module
 */
import { ENVOY_API } from "../../../lib/cluster/translate/envoy_gateway.ts";
import { GATEWAY_API, GATEWAY_GROUP } from "../../../lib/cluster/translate/http_route.ts";
import { CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import type { ResourceType } from "../client.ts";

/** gw's own kinds. */
export const RESOURCE_TYPES = CUSTOM_RESOURCES satisfies Record<string, ResourceType>;

/** The kinds that each cluster with the Gateway API has. */
export const HTTP_ROUTE: ResourceType = { apiVersion: GATEWAY_API, kind: "HTTPRoute", plural: "httproutes" };
export const GATEWAY: ResourceType = { apiVersion: GATEWAY_API, kind: "Gateway", plural: "gateways" };
export const GATEWAY_CLASS: ResourceType = {
  apiVersion: GATEWAY_API,
  kind: "GatewayClass",
  plural: "gatewayclasses",
  isClusterWide: true,
};
export const ENVOY_PROXY: ResourceType = { apiVersion: ENVOY_API, kind: "EnvoyProxy", plural: "envoyproxies" };

/** The kind of what keeps clients out. */
export const SECURITY_POLICY: ResourceType = {
  apiVersion: ENVOY_API,
  kind: "SecurityPolicy",
  plural: "securitypolicies",
};

/** The kinds of objects that gw makes. */
export const OWNED_TYPES: readonly ResourceType[] = [
  HTTP_ROUTE,
  GATEWAY,
  { apiVersion: `${GATEWAY_GROUP}/v1beta1`, kind: "ReferenceGrant", plural: "referencegrants" },
  ENVOY_PROXY,
  SECURITY_POLICY,
  { apiVersion: ENVOY_API, kind: "BackendTrafficPolicy", plural: "backendtrafficpolicies" },
  { apiVersion: ENVOY_API, kind: "ClientTrafficPolicy", plural: "clienttrafficpolicies" },
  { apiVersion: ENVOY_API, kind: "HTTPRouteFilter", plural: "httproutefilters" },
  { apiVersion: ENVOY_API, kind: "Backend", plural: "backends" },
];

/** Where Leases are. */
export const LEASE: ResourceType = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", plural: "leases" };

/** Where Events are. */
export const EVENT: ResourceType = { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events" };
