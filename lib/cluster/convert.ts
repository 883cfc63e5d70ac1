/**
 * Converts resources of the management API to custom resources of a cluster, and back. A custom resource reads the same
 * whether `kubectl` or the management API has written it.
 *
 * @module
 */
import type { KubernetesObject } from "./object.ts";
import { isObject } from "../schema/node.ts";
import type { AnyResource, FleetSpec, Kind, ObjectName, ServicePort, Specs } from "../gateway/resource.ts";
import {
  type ApiObject,
  CUSTOM_RESOURCES,
  type FleetObject,
  type FleetObjectSpec,
  type FleetReference,
  type StaticRouteObject,
} from "./custom_resource.ts";
import { definitionOf, textFields } from "./definition_text.ts";
import { documentOfFields, fieldsOf } from "./static_route_document.ts";

/** A resource that was read from a custom resource, without the summary that lists show (`summaryOf`). */
export interface ConvertedResource<K extends Kind = Kind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Omit<Specs[K], "summary">;
  /** `metadata.resourceVersion` */
  readonly version: string;
  /** RFC 3339, UTC. */
  readonly created: string;
}

/** A converted resource of any kind. */
export type AnyConvertedResource = { [K in Kind]: ConvertedResource<K> }[Kind];

/** A resource to write, without its summary. */
export type WritableResource = {
  [K in Kind]: Pick<ConvertedResource<K>, "kind" | "namespace" | "name" | "spec">;
}[Kind];

/**
 * The fleet (group of proxies that share listeners) of objects that name none, if the caller passes no other default.
 */
const DEFAULT_FLEET: ObjectName = { namespace: "default", name: "default" };
/** The Service of a fleet with neither `service` nor an existing `gateway`. */
const DEFAULT_SERVICE: NonNullable<FleetObjectSpec["service"]> = { ports: [{ name: "http", port: 80 }] };

/**
 * Makes the custom resource of a resource.
 *
 * @throws {StoreError} With the reason `full`, when a definition is too large for an object of a cluster.
 */
export async function toCustomResource(resource: AnyResource | WritableResource): Promise<KubernetesObject> {
  const { kind, namespace, name } = resource;
  const { apiVersion, kind: objectKind } = CUSTOM_RESOURCES[kind];
  return { apiVersion, kind: objectKind, metadata: { name, namespace }, spec: await specOf(resource) };
}

async function specOf({ kind, namespace, name, spec }: AnyResource | WritableResource): Promise<object> {
  switch (kind) {
    case "api":
      return { fleet: fleetOf(spec.fleet), ...await textFields(spec.openapi, { namespace, name }) };
    case "staticroute":
      return { fleet: fleetOf(spec.fleet), ...await fieldsOf(name, spec.openapi) };
    case "fleet":
      return {
        service: { type: spec.serviceType, ports: spec.ports.map(portField) },
        ...(spec.allowedNamespaces === undefined ? {} : { allowedNamespaces: spec.allowedNamespaces }),
      };
  }
}

/** A reference to a fleet with its two fields in a fixed order. */
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
 * The fields of `spec` that the management API writes, by kind. An update removes those for which the new resource has
 * no value.
 */
const WRITTEN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [CUSTOM_RESOURCES.api.kind]: ["fleet", "openapi", "openapiGzip"],
  [CUSTOM_RESOURCES.staticroute.kind]: ["fleet", "hosts", "upstream", "auth", "settings", "openapi"],
};

/**
 * Merges a resource into the present object, which keeps its metadata and the fields of `spec` that the management API
 * doesn't know. Server-side apply alone can't do this: it leaves a field that `kubectl` owns, such as `openapi`, beside
 * the field that replaces it, `openapiGzip`.
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
  return { ...present, spec };
}

/**
 * Reads a custom resource that the API server has validated.
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
  if (isApiObject(object)) {
    const fleet = fleetReferred(object, defaultFleet);
    return { kind: "api", ...common, spec: { fleet, openapi: await definitionOf(object) } };
  }
  if (isStaticRouteObject(object)) {
    const fleet = fleetReferred(object, defaultFleet);
    return { kind: "staticroute", ...common, spec: { fleet, openapi: await documentOfFields(name, object.spec) } };
  }
  if (isFleetObject(object)) return { kind: "fleet", ...common, spec: fleetSpec(object) };
  return undefined;
}

/** Tells an API from other objects. */
export function isApiObject(object: KubernetesObject): object is ApiObject {
  return isOfKind(object, "api");
}

/** Tells a fleet from other objects. */
export function isFleetObject(object: KubernetesObject): object is FleetObject {
  return isOfKind(object, "fleet");
}

/** Tells a static route from other objects. */
export function isStaticRouteObject(object: KubernetesObject): object is StaticRouteObject {
  return isOfKind(object, "staticroute");
}

function isOfKind(object: KubernetesObject, kind: Kind): boolean {
  const { apiVersion, kind: objectKind } = CUSTOM_RESOURCES[kind];
  return object.apiVersion === apiVersion && object.kind === objectKind && isObject(object.spec);
}

/** The fleet that an API or a static route is on. */
export function fleetReferred(
  { metadata: { namespace: own = "" }, spec: { fleet } }: ApiObject | StaticRouteObject,
  defaultFleet: ObjectName = DEFAULT_FLEET,
): ObjectName {
  return fleet === undefined ? defaultFleet : { name: fleet.name, namespace: fleet.namespace ?? own };
}

/**
 * The text of a static route's document: `spec.openapi`, or a document made from the other fields of `spec` where
 * `spec.openapi` is absent or differs from them.
 */
export function staticRouteDefinitionOf({ metadata: { name }, spec }: StaticRouteObject): Promise<string> {
  return documentOfFields(name, spec);
}

function fleetSpec({ spec: { gateway, service, allowedNamespaces } }: FleetObject): FleetSpec {
  const { type, ports = [] } = service ?? (gateway === undefined ? DEFAULT_SERVICE : {});
  return {
    // The management API has no NodePort: such a service is shown as ClusterIP.
    serviceType: type === "LoadBalancer" ? "LoadBalancer" : "ClusterIP",
    ports: ports.map(({ name = "", port, protocol = "TCP", nodePort = 0, targetPort = 0 }) => (
      { name, nodePort, port, protocol, targetPort }
    )),
    ...(allowedNamespaces === undefined ? {} : { allowedNamespaces }),
  };
}
