/**
 * What the management API shows of resources. Shapes are always whole: what has no value is "", [] or an empty reference.
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

/** An API, as the schema `Api` of the description says. */
export interface ApiShape {
  name: string;
  namespace: string;
  fleet: ObjectName;
  service: ObjectName;
  version: string;
  externalurl: string;
}

/** A static route, as the schema `StaticRoute` says. */
export interface StaticRouteShape {
  name: string;
  namespace: string;
  proxyFleetName: string;
  proxyFleetNamespace: string;
}

/** A service, as the schema `Service` says. */
export interface ServiceShape {
  name: string;
  namespace: string;
  status: ServiceStatus;
  serviceType: ServiceType;
  ports: ServicePortItem[];
}

/** A fleet, as the schema `Fleet` says. */
export interface FleetShape {
  name: string;
  namespace: string;
  apis: ObjectName[];
  services: ServiceShape[];
  staticRoutes: ObjectName[];
}

/** What is looked at of a resource. */
type Shown<Spec> = ObjectName & { readonly spec: Spec };

/**
 * Shows an API.
 *
 * @param analysisUrl `externalurl` of an API that doesn't say one, with `{namespace}` and `{name}` in it.
 */
export function showApi({ name, namespace, spec: { fleet, summary } }: Shown<ApiSpec>, analysisUrl: string): ApiShape {
  const { version, service } = summary;
  const externalurl = summary.analysisUrl ||
    analysisUrl.replaceAll("{namespace}", namespace).replaceAll("{name}", name);
  return { name, namespace, fleet, service, version, externalurl };
}

/** Shows a static route. */
export function showStaticRoute({ name, namespace, spec: { fleet } }: Shown<StaticRouteSpec>): StaticRouteShape {
  return { name, namespace, proxyFleetName: fleet.name, proxyFleetNamespace: fleet.namespace };
}

/** Shows the services that a fleet is reached by: those that there are, or the one that it asks for. */
export function showFleetServices({ name, namespace, spec }: Stored<"fleet">, services: ServiceProbe): ServiceShape[] {
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

/** Shows a port of a fleet; without a target, requests go to the same port. */
function showPort({ targetPort, ...port }: ServicePort): ServicePortItem {
  return { ...port, targetPort: String(targetPort || port.port) };
}

/** Shows the services of fleets, and those that requests are sent to, in the order of namespace and name. */
export function showServices(
  fleets: readonly Stored<"fleet">[],
  senders: readonly (Stored<"api"> | Stored<"staticroute">)[],
  services: ServiceProbe,
): ServiceShape[] {
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

/** Shows a resource as it is, or would be, in a cluster. */
export async function showResource(resource: StoredResource): Promise<KubernetesObject> {
  const { metadata, ...object } = await toCustomResource(resource);
  const { version, created } = resource;
  return { ...object, metadata: { ...metadata, resourceVersion: version, creationTimestamp: created } };
}

/** A service is there when all of its ports are, and it has one. */
function statusOf(
  { name, namespace, ports }: ObjectName & { ports: readonly Pick<ServicePort, "port">[] },
  services: ServiceProbe,
): ServiceStatus {
  return ports.length > 0 && ports.every(({ port }) => services.status(namespace, name, port) === "available")
    ? "available"
    : "unavailable";
}
