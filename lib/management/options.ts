import type { checkDeployment } from "../gateway/check_deployment.ts";
import type { KubernetesObject } from "../cluster/object.ts";
import type { FleetRef, RoutePlan } from "../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../openapi/diagnostic.ts";
import type { Kind, ObjectName, ServicePortItem, ServiceType } from "../gateway/resource.ts";

/** What the management API needs beside a store. */
export interface ManagementOptions {
  gateway: Gateway;
  services: ServiceProbe;
  /** Finds why a definition can't be deployed; `createDeploymentCheck` makes a faster one. Default: `checkDeployment`. */
  check?: typeof checkDeployment;
  /** Whether the server can do its work, and why not. Default: it can. */
  ready?: () => Readiness | Promise<Readiness>;
  /** The figures for Prometheus. Default: there are none, and `/metrics` answers 404. */
  metrics?: () => Promise<{ mediaType: string; text: string }>;
  /**
   * Decides who may do what; the answer is a refusal, such as 401 or 403. Asked before anything is read, with the object
   * that the path names, whose names are empty where it names none; and again for what is to be created, once the content
   * has said what that is. Default: everybody may do everything.
   */
  authorize?: (
    request: Request,
    operation: string,
    object: ObjectName,
  ) => Response | undefined | Promise<Response | undefined>;
  /** A resource as an object of the cluster that it is kept in, which has a `status` too. Default: it is in none. */
  objectOf?: (kind: Kind, object: ObjectName) => KubernetesObject | undefined;
  /** `externalurl` of APIs that don't say one, with `{namespace}` and `{name}` in it. Default: none. */
  analysisUrl?: string;
  /** The largest body that is read, in bytes. Default: 16 MiB. */
  maxBody?: number;
  /** Milliseconds until all of a body must be there. Default: 60,000. */
  bodyTimeout?: number;
  /**
   * The labels of a namespace, by which fleets admit it; `undefined` where they aren't known, so that they refuse nothing.
   * Default: namespaces have none but their name, `kubernetes.io/metadata.name`.
   */
  labelsOf?: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /** The fleet of APIs and static routes that name none. Default: `default` in the namespace `default`. */
  defaultFleet?: () => ObjectName;
}

/** What carries the traffic of the fleets. */
export interface Gateway {
  /** The plans of a fleet that are in force. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** The plans in force that may exclude a plan of the fleet, found by an index. Default: all. */
  rivalsOf?(plan: RoutePlan): readonly RoutePlan[];
  /** Hands over the plan of a definition that is about to be stored, and its warnings, so that it isn't planned twice. */
  expect?(plan: RoutePlan, warnings: readonly string[]): void;
  /**
   * Takes the ports of a fleet that is about to be stored.
   *
   * @returns Why they can't be had.
   */
  reserve?(fleet: FleetRef, ports: readonly number[]): string | undefined;
  /** Gives back the ports of a fleet that were reserved and then not stored. */
  release?(fleet: FleetRef): void;
  /** Brings everything to what the store holds; resolves when requests see it. A change is acknowledged only then. */
  apply(): Promise<void>;
  /** What it can't do of a plan, as errors. Default: it can do all that `checkDeployment` lets pass. */
  refusalsOf?(plan: RoutePlan): readonly UnlocatedDiagnostic[];
  /** Whether it can log users in (`auth.oauth2`). Default: no. */
  readonly oauth2?: boolean;
}

/** What is known of services. */
export interface ServiceProbe {
  status(namespace: string, name: string, port: number): ServiceStatus;
  /** Whether requests to the service can be sent anywhere; what can't is warned of. Default: they can. */
  resolves?(namespace: string, name: string, port: number): boolean;
  /**
   * The services that a fleet is reached by, where they have names of their own; none as long as there are none. Default:
   * one, named as the fleet.
   */
  servicesOf?(fleet: ObjectName): readonly FleetService[];
}

/** A service that a fleet is reached by. */
export interface FleetService extends ObjectName {
  status: ServiceStatus;
  serviceType: ServiceType;
  ports: ServicePortItem[];
}

/** Whether a service has answered when it was tried last. */
export type ServiceStatus = "available" | "unavailable";

/** Whether a server can do its work. */
export type Readiness = { kind: "ready" } | { kind: "not-ready"; reason: string };
