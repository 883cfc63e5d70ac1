/**
 * The JSON representations of resources in the management API. They have all their fields: a value that is missing is
 * "", [] or an empty reference.
 *
 * @module
 */
import type { KubernetesObject } from "../cluster/object.ts";
import { toCustomResource } from "../cluster/convert.ts";
import type { ServiceProbe, ServiceStatus } from "./options.ts";
import {
  type ApiSpec,
  keyOf,
  type ObjectName,
  type ServicePort,
  type ServicePortItem,
  type ServiceType,
  type StaticRouteSpec,
} from "../gateway/resource.ts";
import type { Stored, StoredResource } from "./store.ts";

/** The representation of an API: schema `Api` of openapi.yaml. */
export interface ApiRepresentation {
  name: string;
  namespace: string;
  fleet: ObjectName;
  service: ObjectName;
  version: string;
  externalurl: string;
}

/** The representation of a static route: schema `StaticRoute` of openapi.yaml. */
export interface StaticRouteRepresentation {
  name: string;
  namespace: string;
  proxyFleetName: string;
  proxyFleetNamespace: string;
}

/** The representation of a service: schema `Service` of openapi.yaml. */
export interface ServiceRepresentation {
  name: string;
  namespace: string;
  status: ServiceStatus;
  serviceType: ServiceType;
  ports: ServicePortItem[];
}

/** The representation of a fleet: schema `Fleet` of openapi.yaml. */
export interface FleetRepresentation {
  name: string;
  namespace: string;
  apis: ObjectName[];
  services: ServiceRepresentation[];
  staticRoutes: ObjectName[];
}

type Shown<Spec> = ObjectName & { readonly spec: Spec };

/**
 * Returns the representation of an API.
 *
 * @param analysisUrl Template of `externalurl` for an API without its own, with `{namespace}` and `{name}`.
 */
export function showApi(
  { name, namespace, spec: { fleet, summary } }: Shown<ApiSpec>,
  analysisUrl: string,
): ApiRepresentation {
  const { version, service } = summary;
  const externalurl = summary.analysisUrl ||
    analysisUrl.replaceAll("{namespace}", namespace).replaceAll("{name}", name);
  return { name, namespace, fleet, service, version, externalurl };
}

export function showStaticRoute(
  { name, namespace, spec: { fleet } }: Shown<StaticRouteSpec>,
): StaticRouteRepresentation {
  return { name, namespace, proxyFleetName: fleet.name, proxyFleetNamespace: fleet.namespace };
}

/**
 * Returns the representations of the services of a fleet's proxies: those in the cluster, or, if there are none, one
 * service by the ports of the fleet's spec.
 */
export function showFleetServices(
  { name, namespace, spec }: Stored<"fleet">,
  services: ServiceProbe,
): ServiceRepresentation[] {
  const known = services.servicesOf?.({ name, namespace }) ?? [];
  if (known.length > 0) {
    return known.map(({ name, namespace, status, serviceType, ports }) => (
      { name, namespace, status, serviceType, ports }
    ));
  }
  const { serviceType, ports } = spec;
  const status = statusOf({ name, namespace, ports }, services);
  return [{ name, namespace, status, serviceType, ports: ports.map(showPort) }];
}

/** Returns the representation of a port. Its default `targetPort` is the same port. */
function showPort({ targetPort, ...port }: ServicePort): ServicePortItem {
  return { ...port, targetPort: String(targetPort || port.port) };
}

/**
 * Returns the representations of all services: those of fleets, and those that receive requests as upstreams. They are
 * sorted by namespace and name.
 */
export function showServices(
  fleets: readonly Stored<"fleet">[],
  senders: readonly (Stored<"api"> | Stored<"staticroute">)[],
  services: ServiceProbe,
): ServiceRepresentation[] {
  const shown = new Map(
    fleets.flatMap((fleet) => showFleetServices(fleet, services)).map((service) => [keyOf(service), service]),
  );
  const upstreams = new Map<string, ObjectName & { ports: Map<number, ServicePortItem> }>();
  for (const { spec: { summary } } of senders) {
    for (const { name, namespace, port } of summary.upstreams) {
      const key = keyOf({ namespace, name });
      if (shown.has(key)) continue;
      const known = upstreams.get(key) ?? { name, namespace, ports: new Map() };
      known.ports.set(port, { name: "", nodePort: 0, port, protocol: "TCP", targetPort: String(port) });
      upstreams.set(key, known);
    }
  }
  for (const [key, { name, namespace, ports: byNumber }] of upstreams) {
    const ports = [...byNumber.values()].sort((a, b) => a.port - b.port);
    const status = statusOf({ name, namespace, ports }, services);
    shown.set(key, { name, namespace, status, serviceType: "ClusterIP", ports });
  }
  return [...shown].sort(([a], [b]) => a < b ? -1 : 1).map(([, service]) => service);
}

/**
 * Returns a resource as the custom resource of Kubernetes that stores it in a cluster, or would store it.
 *
 * @param refusal Why it isn't served. Default: it is.
 */
export async function showResource(resource: StoredResource, refusal?: string): Promise<KubernetesObject> {
  const { metadata, ...object } = await toCustomResource(resource);
  const { version, created } = resource;
  const status = refusal === undefined ? {} : {
    status: { conditions: [{ type: "Accepted", status: "False", reason: "NotServed", message: refusal }] },
  };
  return { ...object, metadata: { ...metadata, resourceVersion: version, creationTimestamp: created }, ...status };
}

/** Tells whether a service is available: it has ports, and all of them are available. */
function statusOf(
  { name, namespace, ports }: ObjectName & { ports: readonly Pick<ServicePort, "port">[] },
  services: ServiceProbe,
): ServiceStatus {
  return ports.length > 0 && ports.every(({ port }) => services.status(namespace, name, port) === "available")
    ? "available"
    : "unavailable";
}
