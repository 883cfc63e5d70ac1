import type { checkDeployment } from "../gateway/check_deployment.ts";
import type { KubernetesObject } from "../cluster/object.ts";
import type { FleetRef, RoutePlan } from "../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../openapi/diagnostic.ts";
import type { Kind, ObjectName, ServicePortItem, ServiceType } from "../gateway/resource.ts";

/** The dependencies of the management API beside a store. */
export interface ManagementOptions {
  gateway: Gateway;
  services: ServiceProbe;
  /** Finds the errors of a definition; `createDeploymentCheck` makes a faster check. Default: `checkDeployment`. */
  check?: typeof checkDeployment;
  /** Tells whether the server is ready. Default: it is. */
  ready?: () => Readiness | Promise<Readiness>;
  /** The metrics for Prometheus. Default: none, and `/metrics` answers 404. */
  metrics?: () => Promise<{ mediaType: string; text: string }>;
  /**
   * Authorizes a request. A returned response, such as 401 or 403, refuses the request. Called before the content is
   * read, with the object that the path names; its names are empty if the path names none. To create an object it is
   * called again, with the name that is in the content. Default: every request is allowed.
   */
  authorize?: (
    request: Request,
    operation: string,
    object: ObjectName,
  ) => Response | undefined | Promise<Response | undefined>;
  /** The object in the cluster that stores a resource; it also has a `status`. Default: there is no cluster. */
  objectOf?: (kind: Kind, object: ObjectName) => KubernetesObject | undefined;
  /** The template of `externalurl` for APIs without their own, with `{namespace}` and `{name}`. Default: empty. */
  analysisUrl?: string;
  /** The largest body that is read, in bytes. Default: 16 MiB. */
  maxBody?: number;
  /** Milliseconds in which the whole body must arrive. Default: 60,000. */
  bodyTimeout?: number;
  /**
   * The labels of a namespace, by which fleets admit it; `undefined` if they aren't known. Then a fleet that selects by
   * them refuses no namespace. Default: the only label is the name, `kubernetes.io/metadata.name`.
   */
  labelsOf?: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /** The fleet of APIs and static routes without one. Default: `default` in the namespace `default`. */
  defaultFleet?: () => ObjectName;
}

/** The gateway, which serves the fleets. */
export interface Gateway {
  /** The plans of a fleet that are in force. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** The plans in force that may conflict with a plan, found by an index. Default: all plans of its fleet. */
  rivalsOf?(plan: RoutePlan): readonly RoutePlan[];
  /**
   * Hands over the plan of a definition that is about to be stored, and its warnings, so that the gateway doesn't plan
   * the definition again.
   */
  expect?(plan: RoutePlan, warnings: readonly string[]): void;
  /**
   * Reserves the ports of a fleet that is about to be stored.
   *
   * @returns Why the ports aren't available; `undefined` if they are.
   */
  reserve?(fleet: FleetRef, ports: readonly number[]): string | undefined;
  /** Releases the ports of a fleet that was not stored after all. */
  release?(fleet: FleetRef): void;
  /** Applies the state of the store. Resolves when requests see it; a change is acknowledged only then. */
  apply(): Promise<void>;
  /** The URLs at which a fleet listens. Default: they aren't known. */
  urlsOf?(fleet: FleetRef): readonly string[];
  /** The errors of a plan that this gateway can't serve. Default: none beside those of `checkDeployment`. */
  refusalsOf?(plan: RoutePlan): readonly UnlocatedDiagnostic[];
  /** Whether the gateway supports logins (`auth.oauth2`). Default: no. */
  readonly oauth2?: boolean;
}

/** The states of services. */
export interface ServiceProbe {
  status(namespace: string, name: string, port: number): ServiceStatus;
  /** Tells whether the address of a service is known. If not, deployments to it get a warning. Default: it is known. */
  resolves?(namespace: string, name: string, port: number): boolean;
  /**
   * The services of a fleet's proxies, in a cluster; empty before they exist. Default: one service with the name of the
   * fleet.
   */
  servicesOf?(fleet: ObjectName): readonly FleetService[];
}

/** A service of a fleet's proxies. */
export interface FleetService extends ObjectName {
  status: ServiceStatus;
  serviceType: ServiceType;
  ports: ServicePortItem[];
}

/** Whether the last probe of a service succeeded. */
export type ServiceStatus = "available" | "unavailable";

/** Whether a server is ready. */
export type Readiness = { kind: "ready" } | { kind: "not-ready"; reason: string };
