/**
 * The resources of the management API, as they are stored.
 *
 * @module
 */

import type { AllowedNamespaces } from "./allowed_namespaces.ts";

/**
 * The kinds of resources: a deployed definition (`api`), a group of proxies that share listeners (`fleet`), or hosts
 * and paths that are sent to an upstream without a definition (`staticroute`).
 */
export type Kind = "api" | "fleet" | "staticroute";

/** A resource, identified by kind, namespace and name. */
export interface Resource<K extends Kind = Kind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Specs[K];
}

/** A resource of any kind; `kind` tells which. */
export type AnyResource = { [K in Kind]: Resource<K> }[Kind];

/** The spec of each kind. */
export interface Specs {
  api: ApiSpec;
  fleet: FleetSpec;
  staticroute: StaticRouteSpec;
}

/** The name of an object in its namespace. */
export interface ObjectName {
  name: string;
  namespace: string;
}

/** A definition deployed to a fleet. */
export interface ApiSpec {
  fleet: ObjectName;
  /** The definition as it was deployed, in JSON or YAML. */
  openapi: string;
  summary: Summary;
}

/** All requests to some hosts, below a path, are sent to an upstream or redirected, without a definition. */
export interface StaticRouteSpec {
  fleet: ObjectName;
  /** A document with a root `x-svc`, in JSON or YAML. */
  openapi: string;
  summary: Summary;
}

/** A group of proxies that share listeners. */
export interface FleetSpec {
  serviceType: ServiceType;
  ports: ServicePort[];
  /** The namespaces whose APIs and static routes the fleet admits. Default: all. */
  allowedNamespaces?: AllowedNamespaces;
}

/** The type of a fleet's Service. */
export type ServiceType = "ClusterIP" | "LoadBalancer";

/** A port of a service. */
export interface ServicePort {
  name: string;
  /** Port on each node of the cluster; 0 if there is none. */
  nodePort: number;
  port: number;
  protocol: string;
  /** Port of the proxies; 0 for the same number as `port`. */
  targetPort: number;
}

/** A port of a service in responses: as in Kubernetes, `targetPort` is the number or the name of a port. */
export interface ServicePortItem extends Omit<ServicePort, "targetPort"> {
  targetPort: string;
}

/**
 * The parts of a definition that lists of APIs show. They are read when the API is deployed, so that a list parses no
 * definitions.
 */
export interface Summary {
  /** `info.version` as written; empty without one. */
  version: string;
  /** The upstream service of the root; empty names without one. */
  service: ObjectName;
  /** `x-svc.analysis.url`, empty without one. */
  analysisUrl: string;
  /** The services that the API's requests go to, each port once. */
  upstreams: UpstreamPort[];
}

/** A port of a service that requests go to. */
export interface UpstreamPort extends ObjectName {
  port: number;
}

/** A key of an object that sorts by namespace, then by name: no character of a name sorts before the separator. */
export function keyOf({ namespace, name }: ObjectName): string {
  return `${namespace}\0${name}`;
}
