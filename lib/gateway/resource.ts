/**
 * The resources of the management API, as they are stored.
 *
 * @module
 */

import type { AllowedNamespaces } from "./allowed_namespaces.ts";

/** What is deployed: a definition, a group of proxies, or a catch-all. */
export type Kind = "api" | "fleet" | "staticroute";

/** A resource: namespace and name tell those of one kind apart. */
export interface Resource<K extends Kind = Kind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Specs[K];
}

/** A resource of any kind; `kind` tells which. */
export type AnyResource = { [K in Kind]: Resource<K> }[Kind];

/** What each kind of resource holds. */
export interface Specs {
  api: ApiSpec;
  fleet: FleetSpec;
  staticroute: StaticRouteSpec;
}

/** Something that has a namespace and a name. */
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

/** A catch-all of a fleet, sent to an upstream. */
export interface StaticRouteSpec {
  fleet: ObjectName;
  /** A document whose root `x-svc` says where requests go, in JSON or YAML. */
  openapi: string;
  summary: Summary;
}

/** A group of proxies that share listeners. */
export interface FleetSpec {
  serviceType: ServiceType;
  ports: ServicePort[];
  /** Namespaces whose APIs and static routes may name it. Default: all. */
  allowedNamespaces?: AllowedNamespaces;
}

/** How the service of a fleet can be reached. */
export type ServiceType = "ClusterIP" | "LoadBalancer";

/** A port of a service. */
export interface ServicePort {
  name: string;
  /** Port on each node of the cluster; 0 without one. */
  nodePort: number;
  port: number;
  protocol: string;
  /** Port that the service sends on to; 0 for the same. */
  targetPort: number;
}

/** A port of a service as clients see it: as Kubernetes has it, `targetPort` is the number or the name of a port. */
export interface ServicePortItem extends Omit<ServicePort, "targetPort"> {
  targetPort: string;
}

/** What a definition says that lists show: read once, when it is deployed, so that lists never read definitions. */
export interface Summary {
  /** `info.version` as it is written, empty without one. */
  version: string;
  /** The upstream service of the root; empty names without one. */
  service: ObjectName;
  /** `x-svc.analysis.url`, empty without one. */
  analysisUrl: string;
  /** The services that its requests go to, each port once. */
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
