/**
 * The resources of the management API as they are stored: APIs, fleets and static routes.
 *
 * @module
 */

import type { AllowedNamespaces } from "./allowed_namespaces.ts";

/**
 * The kinds of resources: a definition that is deployed (`api`), a group of proxies that share listeners (`fleet`), or
 * hosts whose requests are sent to an upstream without a definition (`staticroute`).
 */
export type GatewayResourceKind = "api" | "fleet" | "staticroute";

/** A resource, identified by kind, namespace and name. */
export interface GatewayResource<K extends GatewayResourceKind = GatewayResourceKind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Specs[K];
}

/** A resource of any kind; `kind` tells which. */
export type AnyResource = { [K in GatewayResourceKind]: GatewayResource<K> }[GatewayResourceKind];

/** The spec of a resource, by its kind. */
export interface Specs {
  api: ApiSpec;
  fleet: FleetSpec;
  staticroute: StaticRouteSpec;
}

/** The namespace and name that identify an object among those of its kind. */
export interface ObjectName {
  name: string;
  namespace: string;
}

/** The spec of an API: a definition that is deployed to a fleet. */
export interface ApiSpec {
  fleet: ObjectName;
  /** The text of the definition as it was deployed, in JSON or YAML. */
  openapi: string;
  summary: ResourceSummary;
  /** The file, or the title, after which `gw deploy` named the resource. Different ones may give equal names. */
  source?: string;
}

/** The spec of a static route: all requests to some hosts, below a path, are sent to an upstream or redirected. */
export interface StaticRouteSpec {
  fleet: ObjectName;
  /** The text of a document with `x-svc` at its root, in JSON or YAML. */
  openapi: string;
  summary: ResourceSummary;
  /** The file, or the title, after which `gw deploy` named the resource. Different ones may give equal names. */
  source?: string;
}

/** The spec of a fleet: a group of proxies that share listeners. */
export interface FleetSpec {
  serviceType: ServiceType;
  ports: ServicePort[];
  /** The namespaces whose APIs and static routes the fleet admits. Default: all namespaces. */
  allowedNamespaces?: AllowedNamespaces;
}

/** The `type` of the Kubernetes Service in front of a fleet's proxies. */
export type ServiceType = "ClusterIP" | "LoadBalancer";

/** A port of a Kubernetes Service, as a fleet's spec has it. */
export interface ServicePort {
  name: string;
  /** The port on each node of the cluster; 0 if there is none. */
  nodePort: number;
  port: number;
  protocol: string;
  /** The port at the proxies; 0 for the same number as `port`. */
  targetPort: number;
}

/** A port of a service, as responses show it: `targetPort` is the number or the name of a port, as in Kubernetes. */
export interface ServicePortItem extends Omit<ServicePort, "targetPort"> {
  targetPort: string;
}

/**
 * The parts of a definition that lists of APIs show. They are stored with the API, so that a list parses no
 * definitions.
 */
export interface ResourceSummary {
  /** `info.version` of the definition, as written; empty if it has none. */
  version: string;
  /** The upstream service in `x-svc` at the root of the definition; its names are empty if there is none. */
  service: ObjectName;
  /** `x-svc.analysis.url` of the definition; empty if it has none. */
  analysisUrl: string;
  /** The services to which the API's requests are sent, once for each port. */
  upstreams: UpstreamPort[];
}

/** A port of a service to which requests are sent. */
export interface UpstreamPort extends ObjectName {
  port: number;
}

/**
 * Returns a key by which objects sort by namespace, then by name. Its separator sorts before every character of a name.
 */
export function keyOf({ namespace, name }: ObjectName): string {
  return `${namespace}\0${name}`;
}
