/**
 * What gw writes of Envoy Gateway's own kinds.
 *
 * @see {@link https://gateway.envoyproxy.io/docs/api/extension_types/ Envoy Gateway, API reference}
 * @module
 */

/** The group of Envoy Gateway's kinds. */
export const ENVOY_GROUP = "gateway.envoyproxy.io";

/** `apiVersion` of Envoy Gateway's kinds. */
export const ENVOY_API = `${ENVOY_GROUP}/v1alpha1`;

/** How requests to a rule's backends are limited, repeated and given up (`BackendTrafficPolicy`). */
export interface TrafficSettings {
  timeout?: { http: { streamIdleTimeout: string } };
  retry?: { numRetries: number; retryOn: { triggers: string[] } };
  rateLimit?: { local: { rules: { limit: { requests: number; unit: string } }[] } };
}
