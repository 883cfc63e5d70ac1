/**
 * Converts resources of the management API to custom resources of a cluster, and back. A custom resource has the same
 * fields whether `kubectl` or the management API has written it.
 *
 * @module
 */
import { ANNOTATIONS } from "./names.ts";
import type { KubernetesObject } from "./object.ts";
import { isObject } from "../schema/json/node.ts";
import type {
  AnyResource,
  FleetSpec,
  GatewayResourceKind,
  ObjectName,
  ServicePort,
  Specs,
} from "../gateway/resource.ts";
import {
  type ApiObject,
  CUSTOM_RESOURCES,
  type FleetObject,
  type FleetObjectSpec,
  type FleetReference,
  type StaticRouteObject,
} from "./custom_resource.ts";
import { definitionOf, textFields } from "./definition_text.ts";
import { documentOfFields, routeFields } from "./static_route_document.ts";

/**
 * A resource that was converted from a custom resource. It has no `summary`, which lists of APIs show and `summaryOf`
 * computes from the plan.
 */
export interface ConvertedResource<K extends GatewayResourceKind = GatewayResourceKind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Omit<Specs[K], "summary">;
  /** `metadata.resourceVersion` of the custom resource. */
  readonly version: string;
  /** `metadata.creationTimestamp` of the custom resource (RFC 3339, UTC). */
  readonly created: string;
}

/** A converted resource of any kind; `kind` tells which. */
export type AnyConvertedResource = { [K in GatewayResourceKind]: ConvertedResource<K> }[GatewayResourceKind];

/** A resource to be written, without `summary`. */
export type WritableResource = {
  [K in GatewayResourceKind]: Pick<ConvertedResource<K>, "kind" | "namespace" | "name" | "spec">;
}[GatewayResourceKind];

/** The fleet of APIs and static routes that name no fleet, unless the caller passes another. */
const DEFAULT_FLEET: ObjectName = { namespace: "default", name: "default" };
/** The Service of a fleet that has neither `service` nor `gateway` (an existing Gateway) in its `spec`. */
const DEFAULT_SERVICE: NonNullable<FleetObjectSpec["service"]> = { ports: [{ name: "http", port: 80 }] };

/**
 * Converts a resource to a custom resource.
 *
 * @throws {StoreError} With the reason `full`, when a definition is too large for an object of a cluster.
 */
export async function toCustomResource(resource: AnyResource | WritableResource): Promise<KubernetesObject> {
  const { kind, namespace, name } = resource;
  const { apiVersion, kind: objectKind } = CUSTOM_RESOURCES[kind];
  const source = "source" in resource.spec ? resource.spec.source : undefined;
  const annotations = source === undefined ? {} : { annotations: { [ANNOTATIONS.source]: source } };
  return { apiVersion, kind: objectKind, metadata: { name, namespace, ...annotations }, spec: await specOf(resource) };
}

async function specOf({ kind, namespace, name, spec }: AnyResource | WritableResource): Promise<object> {
  switch (kind) {
    case "api":
      return { fleet: fleetOf(spec.fleet), ...await textFields(spec.openapi, { namespace, name }) };
    case "staticroute":
      return { fleet: fleetOf(spec.fleet), ...await routeFields(name, spec.openapi) };
    case "fleet":
      return {
        service: { type: spec.serviceType, ports: spec.ports.map(portField) },
        ...(spec.allowedNamespaces === undefined ? {} : { allowedNamespaces: spec.allowedNamespaces }),
      };
  }
}

/** Returns a reference to a fleet with its fields in a fixed order, whatever other fields the argument has. */
function fleetOf({ name, namespace }: ObjectName): Required<FleetReference> {
  return { name, namespace };
}

function portField({ name, port, protocol, nodePort, targetPort }: ServicePort): object {
  return {
    ...(name === "" ? {} : { name }),
    port,
    protocol,
    ...(nodePort === 0 ? {} : { nodePort }),
    ...(targetPort === 0 ? {} : { targetPort }),
  };
}

/**
 * The fields of `spec` that the management API writes, by kind. An update removes those that the new resource doesn't
 * have.
 */
const WRITTEN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [CUSTOM_RESOURCES.api.kind]: ["fleet", "openapi", "openapiGzip"],
  [CUSTOM_RESOURCES.staticroute.kind]: ["fleet", "hosts", "upstream", "auth", "settings", "openapi"],
};

/**
 * Merges a resource into the custom resource in the cluster. Its metadata stays, as do the fields of `spec` that the
 * management API doesn't write.
 *
 * Server-side apply alone can't do this. It wouldn't remove a field that `kubectl` owns: after an update to
 * `openapiGzip`, the old `openapi` would still be there.
 *
 * @param present The object as it is in the cluster.
 * @param wanted The result of {@linkcode toCustomResource}.
 */
export function mergeCustomResource(present: KubernetesObject, wanted: KubernetesObject): KubernetesObject {
  const before = isObject(present.spec) ? { ...present.spec } : {};
  const after = isObject(wanted.spec) ? wanted.spec : {};
  for (const field of WRITTEN_FIELDS[wanted.kind] ?? []) delete before[field];
  const spec = { ...before, ...after };
  if (isObject(before["service"]) && isObject(after["service"])) {
    spec["service"] = { ...before["service"], ...after["service"] };
  }
  const { annotations } = wanted.metadata;
  const metadata = annotations === undefined
    ? present.metadata
    : { ...present.metadata, annotations: { ...present.metadata.annotations, ...annotations } };
  return { ...present, metadata, spec };
}

/**
 * Converts a custom resource, which the API server has validated, to a resource.
 *
 * @param options `defaultFleet`: the fleet of objects that name none. Default: `default` in the namespace `default`.
 * @returns The resource; `undefined` for an object of another kind.
 * @throws {RangeError} When `openapiGzip` can't be read.
 */
export async function fromCustomResource(
  object: KubernetesObject,
  { defaultFleet = DEFAULT_FLEET }: { defaultFleet?: ObjectName } = {},
): Promise<AnyConvertedResource | undefined> {
  const { name, namespace = "", resourceVersion: version = "", creationTimestamp: created = "" } = object.metadata;
  const common = { namespace, name, version, created };
  const written = object.metadata.annotations?.[ANNOTATIONS.source];
  const source = written === undefined ? {} : { source: written };
  if (isApiObject(object)) {
    const fleet = fleetReferred(object, defaultFleet);
    return { kind: "api", ...common, spec: { fleet, openapi: await definitionOf(object), ...source } };
  }
  if (isStaticRouteObject(object)) {
    const fleet = fleetReferred(object, defaultFleet);
    const openapi = await documentOfFields(name, object.spec);
    return { kind: "staticroute", ...common, spec: { fleet, openapi, ...source } };
  }
  if (isFleetObject(object)) return { kind: "fleet", ...common, spec: fleetSpec(object) };
  return undefined;
}

export function isApiObject(object: KubernetesObject): object is ApiObject {
  return isOfKind(object, "api");
}

export function isFleetObject(object: KubernetesObject): object is FleetObject {
  return isOfKind(object, "fleet");
}

export function isStaticRouteObject(object: KubernetesObject): object is StaticRouteObject {
  return isOfKind(object, "staticroute");
}

function isOfKind(object: KubernetesObject, kind: GatewayResourceKind): boolean {
  const { apiVersion, kind: objectKind } = CUSTOM_RESOURCES[kind];
  return object.apiVersion === apiVersion && object.kind === objectKind && isObject(object.spec);
}

/** Returns the fleet that serves an API or static route: the one that it names, or the default. */
export function fleetReferred(
  { metadata: { namespace: own = "" }, spec: { fleet } }: ApiObject | StaticRouteObject,
  defaultFleet: ObjectName = DEFAULT_FLEET,
): ObjectName {
  return fleet === undefined ? defaultFleet : { name: fleet.name, namespace: fleet.namespace ?? own };
}

/**
 * Returns the document of a static route: `spec.openapi`, if its settings equal those in the other fields of `spec`, or
 * else a document made from these fields.
 */
export function staticRouteDefinitionOf({ metadata: { name }, spec }: StaticRouteObject): Promise<string> {
  return documentOfFields(name, spec);
}

function fleetSpec({ spec: { gateway, service, allowedNamespaces } }: FleetObject): FleetSpec {
  const { type, ports = [] } = service ?? (gateway === undefined ? DEFAULT_SERVICE : {});
  return {
    // The management API doesn't have the type NodePort, and shows such a Service as ClusterIP.
    serviceType: type === "LoadBalancer" ? "LoadBalancer" : "ClusterIP",
    ports: ports.map(({ name = "", port, protocol = "TCP", nodePort = 0, targetPort = 0 }) => (
      { name, nodePort, port, protocol, targetPort }
    )),
    ...(allowedNamespaces === undefined ? {} : { allowedNamespaces }),
  };
}
