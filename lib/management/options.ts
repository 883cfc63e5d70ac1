import type { BodyLimits } from "../http/limits/body_limits.ts";
import type { checkDeployment } from "../gateway/check_deployment.ts";
import type { KubernetesObject } from "../cluster/object.ts";
import type { FleetRef, RoutePlan } from "../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../openapi/diagnostic.ts";
import type { GatewayResourceKind, ObjectName, ServicePortItem, ServiceType } from "../gateway/resource.ts";

/** The dependencies of the management API, apart from the store. */
export interface ManagementOptions {
  gateway: Gateway;
  services: ServiceProbe;
  /**
   * Finds the errors of a definition. `createDeploymentCheck` makes a faster check for many definitions. Default:
   * `checkDeployment`.
   */
  check?: typeof checkDeployment;
  /** Tells whether the server is ready, for `/readyz`. Default: always. */
  ready?: () => Readiness | Promise<Readiness>;
  /** Returns the metrics for Prometheus, for `/metrics`. Default: `/metrics` answers 404. */
  metrics?: () => Promise<{ mediaType: string; text: string }>;
  /**
   * Authorizes a request; a returned response, such as 401 or 403, refuses it.
   *
   * This is called before the content is read, with the object that the path names; namespace and name are empty if the
   * path names none. A request that creates an object is authorized a second time, with the name in its content.
   * Default: every request is allowed.
   */
  authorize?: (
    request: Request,
    operation: string,
    object: ObjectName,
  ) => Response | undefined | Promise<Response | undefined>;
  /**
   * Returns the custom resource that stores a resource in the cluster, with its `status`. Default: there is no cluster.
   */
  objectOf?: (kind: GatewayResourceKind, object: ObjectName) => KubernetesObject | undefined;
  /** The template of `externalurl` for APIs without their own, with `{namespace}` and `{name}`. Default: empty. */
  analysisUrl?: string;
  /** The largest body of a request, in bytes. Default: 16 MiB. */
  maxBody?: number;
  /** The memory that the bodies of all requests may take together. Default: 64 MiB. */
  bodies?: Pick<BodyLimits, "memory">;
  /** The time in which the whole body of a request must arrive, in milliseconds. Default: 60,000. */
  bodyTimeout?: number;
  /**
   * Returns the labels of a namespace, by which a fleet may admit it. If the result is `undefined`, the labels aren't
   * known, and a fleet that selects by labels refuses no namespace. Default: the only label is the name,
   * `kubernetes.io/metadata.name`.
   */
  labelsOf?: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /** Returns the fleet of APIs and static routes that name no fleet. Default: `default` in the namespace `default`. */
  defaultFleet?: () => ObjectName;
}

/** The gateway that serves the fleets: embedded, or in the cluster. */
export interface Gateway {
  /** Lists the plans of a fleet that the gateway serves now. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** Lists the served plans that may conflict with a plan, found by an index. Default: all plans of its fleet. */
  rivalsOf?(plan: RoutePlan): readonly RoutePlan[];
  /**
   * Announces the plan of a definition that is about to be stored, with its warnings, so that the gateway doesn't plan
   * the definition a second time.
   */
  expect?(plan: RoutePlan, warnings: readonly string[]): void;
  /**
   * Reserves the ports of a fleet that is about to be stored.
   *
   * @returns Why the ports aren't available; `undefined` if they are.
   */
  reserve?(fleet: FleetRef, ports: readonly number[]): string | undefined;
  /** Releases the reserved ports of a fleet, when the fleet was not stored. */
  release?(fleet: FleetRef): void;
  /**
   * Makes the gateway serve what the store has. Resolves when new requests are served so. Only then is a change
   * acknowledged to the client.
   */
  apply(): Promise<void>;
  /** Tells why a stored API or static route isn't served; `undefined` if it is. Default: the status of its object says it. */
  refusalOf?(resource: ObjectName & { kind: GatewayResourceKind }): string | undefined;
  /** Returns the URLs at which a fleet listens. Default: they aren't known. */
  urlsOf?(fleet: FleetRef): readonly string[];
  /**
   * Returns the errors of a plan that this gateway can't serve, apart from those of `checkDeployment`. Default: none.
   */
  refusalsOf?(plan: RoutePlan): readonly UnlocatedDiagnostic[];
  /** Whether the gateway supports logins by OpenID Connect (`auth.oauth2`). Default: no. */
  readonly oauth2?: boolean;
}

/** Tells the states of services. */
export interface ServiceProbe {
  status(namespace: string, name: string, port: number): ServiceStatus;
  /**
   * Tells whether the address of a service is known. A deployment to an unknown service gets a warning. Default: all
   * are known.
   */
  resolves?(namespace: string, name: string, port: number): boolean;
  /** What to do about a service whose address isn't known, as sentences. Default: none. */
  readonly advice?: readonly string[];
  /**
   * Returns the URL to which requests for a port of a service go; `undefined` if there is none. Default: the cluster
   * knows the addresses of its services.
   */
  urlOf?(namespace: string, name: string, port: number): string | undefined;
  /**
   * Lists the Services of a fleet's proxies in a cluster; none before they exist. Default: the list is empty, and the
   * fleet is shown with a service of its own name.
   */
  servicesOf?(fleet: ObjectName): readonly FleetService[];
}

/** A Kubernetes Service of a fleet's proxies. */
export interface FleetService extends ObjectName {
  status: ServiceStatus;
  serviceType: ServiceType;
  ports: ServicePortItem[];
}

/** Whether the last probe of a service succeeded (`available`). */
export type ServiceStatus = "available" | "unavailable";

/** Whether a server is ready. */
export type Readiness = { kind: "ready" } | { kind: "not-ready"; reason: string };
