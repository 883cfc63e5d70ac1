/**
 * gw's custom resources: their names, and the types of their `spec` and `status`.
 *
 * @module
 */
import type { AllowedNamespaces } from "../gateway/allowed_namespaces.ts";
import type { KubernetesObject, StatusCondition } from "./object.ts";
import { API_VERSION } from "./names.ts";
import type { AuthSettings, ExtensionSettings, Upstream } from "../openapi/extension/settings.ts";
import type { GatewayResourceKind } from "../gateway/resource.ts";

/** The kinds of gw's custom resources, by the kinds of the management API. */
export const CUSTOM_RESOURCES = {
  api: { apiVersion: API_VERSION, kind: "API", plural: "apis" },
  fleet: { apiVersion: API_VERSION, kind: "Fleet", plural: "fleets" },
  staticroute: { apiVersion: API_VERSION, kind: "StaticRoute", plural: "staticroutes" },
} as const satisfies Record<GatewayResourceKind, { apiVersion: string; kind: string; plural: string }>;

/** The custom resource `API`: a definition that is deployed to a fleet. */
export interface ApiObject extends KubernetesObject {
  spec: ApiObjectSpec;
  status?: RouteStatus;
}

/** `spec` of an API. It has exactly one of `openapi` and `openapiGzip`. */
export interface ApiObjectSpec {
  /** The fleet that serves the API. Default: the fleet whose `spec.default` is true. */
  fleet?: FleetReference;
  /** The text of the definition. */
  openapi?: string;
  /** The text of the definition, compressed by gzip, as base64. */
  openapiGzip?: string;
}

/** A reference to a fleet. Its namespace defaults to that of the object with the reference. */
export interface FleetReference {
  name: string;
  namespace?: string;
}

/** The custom resource `Fleet`: a group of proxies that share listeners, for which there is a Gateway. */
export interface FleetObject extends KubernetesObject {
  spec: FleetObjectSpec;
  status?: FleetStatus;
}

/** `spec` of a fleet. */
export interface FleetObjectSpec {
  /** Whether the fleet serves the APIs and static routes that name no fleet. */
  default?: boolean;
  /** An existing Gateway. Default: gw makes a Gateway for the fleet. */
  gateway?: { name: string; namespace?: string };
  /** The GatewayClass of the Gateway that gw makes. Default: `eg`. */
  gatewayClassName?: string;
  service?: {
    type?: "ClusterIP" | "LoadBalancer" | "NodePort";
    ports?: { name?: string; port: number; protocol?: string; nodePort?: number; targetPort?: number }[];
    annotations?: Record<string, string>;
  };
  trustedProxies?: string[];
  replicas?: number;
  /** The certificates of the listeners: Secrets of the type `kubernetes.io/tls`. */
  tls?: { certificateRefs: { name: string; namespace?: string }[] };
  profile?: "envoy-gateway" | "portable";
  /** The namespaces whose APIs and static routes the fleet admits. Default: all namespaces. */
  allowedNamespaces?: AllowedNamespaces;
}

/** `status` of a fleet. */
export interface FleetStatus {
  observedGeneration?: number;
  addresses?: { type?: string; value: string }[];
  apis?: number;
  staticRoutes?: number;
  conditions?: StatusCondition[];
}

/**
 * The custom resource `StaticRoute`: a fleet sends all requests to some hosts to an upstream, without a definition. An
 * API on these hosts takes precedence for its own paths.
 */
export interface StaticRouteObject extends KubernetesObject {
  spec: StaticRouteObjectSpec;
  status?: RouteStatus;
}

/** `spec` of a static route. `hosts`, `upstream` and `auth` are the settings of `x-svc` with these names. */
export interface StaticRouteObjectSpec {
  fleet?: FleetReference;
  hosts?: string[];
  /** The upstream; absent if `settings` has `upstreams`, `redirect` or `disabled`. */
  upstream?: Upstream;
  auth?: AuthSettings;
  /** All other settings of `x-svc` at the root of a document: `upstreams`, `redirect`, `path`, `qos` and so on. */
  settings?: Omit<ExtensionSettings, "hosts" | "upstream" | "auth">;
  /**
   * The OpenAPI document as the management API got it. If its settings differ from the other fields, the other fields
   * count.
   */
  openapi?: string;
}

/** `status` of an API or static route. */
export interface RouteStatus {
  observedGeneration?: number;
  /** The conditions `Accepted`, `Programmed` and `ResolvedRefs`. */
  conditions?: StatusCondition[];
  operations?: { mocked: number; proxied: number; disabled: number };
  /** The names of the HTTPRoutes that gw has made. */
  routes?: string[];
  /** The warnings about the definition. */
  warnings?: string[];
}
