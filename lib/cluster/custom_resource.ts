/**
 * gw's own kinds in a cluster: their names, and the types of their `spec` and `status`.
 *
 * @module
 */
import type { AllowedNamespaces } from "../gateway/allowed_namespaces.ts";
import type { Condition, KubernetesObject } from "./object.ts";
import { API_VERSION } from "./names.ts";
import type { AuthSettings, ExtensionSettings, Upstream } from "../openapi/extension/settings.ts";
import type { Kind } from "../gateway/resource.ts";

/** The names of gw's kinds in a cluster, by their names in the management API. */
export const CUSTOM_RESOURCES = {
  api: { apiVersion: API_VERSION, kind: "API", plural: "apis" },
  fleet: { apiVersion: API_VERSION, kind: "Fleet", plural: "fleets" },
  staticroute: { apiVersion: API_VERSION, kind: "StaticRoute", plural: "staticroutes" },
} as const satisfies Record<Kind, { apiVersion: string; kind: string; plural: string }>;

/** A definition deployed to a fleet. */
export interface ApiObject extends KubernetesObject {
  spec: ApiObjectSpec;
  status?: RouteStatus;
}

/** `spec` of {@linkcode ApiObject}. It has exactly one of `openapi` and `openapiGzip`. */
export interface ApiObjectSpec {
  /** Default: the fleet whose `spec.default` is true. */
  fleet?: FleetReference;
  /** The definition's text. */
  openapi?: string;
  /** The definition's text, as base64 of gzip. */
  openapiGzip?: string;
}

/** A reference to a fleet. Default namespace: the object's. */
export interface FleetReference {
  name: string;
  namespace?: string;
}

/** A group of proxies that share listeners: a Gateway. */
export interface FleetObject extends KubernetesObject {
  spec: FleetObjectSpec;
  status?: FleetStatus;
}

/** `spec` of {@linkcode FleetObject}. */
export interface FleetObjectSpec {
  /** Whether APIs and static routes that name no fleet are on this one. */
  default?: boolean;
  /** A Gateway that exists, instead of one of gw's own. */
  gateway?: { name: string; namespace?: string };
  /** GatewayClass of a Gateway of gw's own. Default: `eg`. */
  gatewayClassName?: string;
  service?: {
    type?: "ClusterIP" | "LoadBalancer" | "NodePort";
    ports?: { name?: string; port: number; protocol?: string; nodePort?: number; targetPort?: number }[];
    annotations?: Record<string, string>;
  };
  replicas?: number;
  /** Certificates of the listeners: Secrets of type kubernetes.io/tls. */
  tls?: { certificateRefs: { name: string; namespace?: string }[] };
  profile?: "envoy-gateway" | "portable";
  /** Namespaces whose APIs and static routes may name this fleet. Default: all. */
  allowedNamespaces?: AllowedNamespaces;
}

/** `status` of {@linkcode FleetObject}. */
export interface FleetStatus {
  observedGeneration?: number;
  addresses?: { type?: string; value: string }[];
  apis?: number;
  staticRoutes?: number;
  conditions?: Condition[];
}

/**
 * A static route: hosts whose requests a fleet sends to an upstream without a definition. An API on these hosts has
 * precedence for its own paths.
 */
export interface StaticRouteObject extends KubernetesObject {
  spec: StaticRouteObjectSpec;
  status?: RouteStatus;
}

/** `spec` of {@linkcode StaticRouteObject}; `hosts`, `upstream` and `auth` mean what they mean in `x-svc`. */
export interface StaticRouteObjectSpec {
  fleet?: FleetReference;
  hosts?: string[];
  /** Absent where `settings` has `upstreams`, `redirect` or `disabled`. */
  upstream?: Upstream;
  auth?: AuthSettings;
  /** Other root settings of `x-svc`: `upstreams`, `redirect`, `path`, `qos`, … */
  settings?: Omit<ExtensionSettings, "hosts" | "upstream" | "auth">;
  /**
   * The OpenAPI document as the management API got it. Where it differs from the other fields, the fields are in force.
   */
  openapi?: string;
}

/** `status` of an API or a static route. */
export interface RouteStatus {
  observedGeneration?: number;
  /** `Accepted`, `Programmed`, `ResolvedRefs` */
  conditions?: Condition[];
  operations?: { mocked: number; proxied: number; disabled: number };
  /** Names of the HTTPRoutes. */
  routes?: string[];
  /** The warnings about the definition. */
  warnings?: string[];
}
