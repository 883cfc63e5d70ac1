import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { isFleetObject } from "../../lib/cluster/convert.ts";
import type { FleetService, ServiceProbe } from "../../lib/management/options.ts";
import { keyOf, type ObjectName, type ServicePortItem } from "../../lib/gateway/resource.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import type { Informer } from "./informer.ts";

/** Options of {@linkcode createClusterServices}. */
export interface ClusterServicesOptions {
  services: Pick<Informer, "get" | "list" | "onChange">;
  endpointSlices: Pick<Informer, "list" | "onChange">;
  fleets: Pick<Informer, "get">;
}

/** The labels by which a Service that Envoy Gateway has made names its Gateway. */
const OWNING_GATEWAY = {
  name: "gateway.envoyproxy.io/owning-gateway-name",
  namespace: "gateway.envoyproxy.io/owning-gateway-namespace",
} as const;

/** The label by which an EndpointSlice names its Service. */
const SERVICE_NAME = "kubernetes.io/service-name";

/**
 * Tells the states of Services in a cluster. A Service is available if at least one of its endpoints is ready. The
 * Services of a fleet (proxies that share listeners) are those that Envoy Gateway has made for the fleet's Gateway.
 */
export function createClusterServices({ services, endpointSlices, fleets }: ClusterServicesOptions): ServiceProbe {
  const ready = indexReady(endpointSlices);
  const byGateway = indexByGateway(services);
  return {
    status: (namespace, name) => isAvailable({ namespace, name }) ? "available" : "unavailable",
    resolves: (namespace, name, port) => {
      const service = services.get(namespace, name);
      return service !== undefined && portsOf(service).some((known) => known.port === port);
    },
    servicesOf(fleet) {
      const found = [...byGateway.get(keyOf(gatewayOf(fleet)))?.values() ?? []];
      return found.map(toFleetService);
    },
  };

  function gatewayOf(fleet: ObjectName): ObjectName {
    const object = fleets.get(fleet.namespace, fleet.name);
    const gateway = object !== undefined && isFleetObject(object) ? object.spec.gateway : undefined;
    return gateway === undefined ? fleet : { name: gateway.name, namespace: gateway.namespace ?? fleet.namespace };
  }

  function isAvailable(service: ObjectName): boolean {
    return (ready.get(keyOf(service))?.size ?? 0) > 0;
  }

  function toFleetService(service: KubernetesObject): FleetService {
    const { namespace = "", name } = service.metadata;
    const type = isObject(service.spec) ? service.spec["type"] : undefined;
    return {
      namespace,
      name,
      status: isAvailable({ namespace, name }) ? "available" : "unavailable",
      // The management API has only the types ClusterIP and LoadBalancer. A NodePort Service is shown as ClusterIP.
      serviceType: type === "LoadBalancer" ? "LoadBalancer" : "ClusterIP",
      ports: portsOf(service),
    };
  }
}

/** Returns the names of the EndpointSlices with a ready endpoint, by Service. The index follows changes. */
function indexReady(slices: ClusterServicesOptions["endpointSlices"]): ReadonlyMap<string, ReadonlySet<string>> {
  const index = new Map<string, Set<string>>();
  for (const slice of slices.list()) take(slice, "set");
  slices.onChange(take);
  return index;

  function take(slice: KubernetesObject, kind: "set" | "deleted"): void {
    const { namespace = "", name, labels = {} } = slice.metadata;
    const key = keyOf({ namespace, name: labels[SERVICE_NAME] ?? "" });
    if (kind === "set" && hasReadyEndpoint(slice)) addTo(index, key, () => new Set<string>()).add(name);
    else if (index.get(key)?.delete(name) === true && index.get(key)?.size === 0) index.delete(key);
  }
}

/**
 * Returns the Services that Envoy Gateway has made, by the Gateway and then by their own name. The index follows
 * changes.
 */
function indexByGateway(
  services: ClusterServicesOptions["services"],
): ReadonlyMap<string, ReadonlyMap<string, KubernetesObject>> {
  const index = new Map<string, Map<string, KubernetesObject>>();
  for (const service of services.list()) take(service, "set");
  services.onChange(take);
  return index;

  function take(service: KubernetesObject, kind: "set" | "deleted"): void {
    const { namespace = "", name, labels = {} } = service.metadata;
    const gateway = labels[OWNING_GATEWAY.name];
    if (gateway === undefined) return;
    const key = keyOf({ name: gateway, namespace: labels[OWNING_GATEWAY.namespace] ?? namespace });
    const own = keyOf({ namespace, name });
    if (kind === "set") addTo(index, key, () => new Map<string, KubernetesObject>()).set(own, service);
    else index.get(key)?.delete(own);
  }
}

function addTo<Value>(index: Map<string, Value>, key: string, make: () => Value): Value {
  const value = index.get(key) ?? make();
  index.set(key, value);
  return value;
}

/**
 * Tells whether an EndpointSlice has a ready endpoint. An endpoint without the condition `ready` counts as ready.
 *
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#conditions}
 */
function hasReadyEndpoint({ endpoints }: KubernetesObject): boolean {
  return Array.isArray(endpoints) && endpoints.some((endpoint: unknown) => {
    const conditions = isObject(endpoint) ? endpoint["conditions"] : undefined;
    return !isObject(conditions) || conditions["ready"] !== false;
  });
}

function portsOf({ spec }: KubernetesObject): ServicePortItem[] {
  const ports = isObject(spec) ? spec["ports"] : undefined;
  return (Array.isArray(ports) ? ports : []).filter(isObject).map((written) => {
    const { name, port, protocol, nodePort, targetPort } = written;
    return {
      name: typeof name === "string" ? name : "",
      nodePort: typeof nodePort === "number" ? nodePort : 0,
      port: Number(port),
      protocol: typeof protocol === "string" ? protocol : "TCP",
      // A target port may be the name of a container's port. Its default is `port`.
      targetPort: String(targetPort ?? port),
    };
  });
}
