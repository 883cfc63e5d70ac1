/**
 * The objects of a fleet: a Gateway of its own, or none where it attaches to one that exists, and what the routes of its
 * APIs need in their namespaces.
 *
 * @module
 */
import { FIELD_MANAGER, HEADERS, LABELS, MOCKS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { checkedHeaders, headerList } from "./ext_auth.ts";
import { ENVOY_API, ENVOY_GROUP, GATEWAY_API, GATEWAY_GROUP } from "./gateway_api.ts";
import { requestCheck } from "./security_policy.ts";
import type { Mocks } from "./rendering.ts";
import type { AllowedNamespaces } from "../../gateway/allowed_namespaces.ts";
import type { FleetRef, RoutePlan } from "../../gateway/route.ts";

/** A fleet, as far as its objects depend on it; `spec` of the custom resource Fleet fits. */
export interface Fleet extends FleetRef {
  readonly spec: {
    /** A Gateway that exists, instead of one of gw's own. */
    gateway?: { name: string; namespace?: string };
    /** Default: `eg`. */
    gatewayClassName?: string;
    service?: {
      /** Default: that of Envoy Gateway, LoadBalancer. */
      type?: "ClusterIP" | "LoadBalancer" | "NodePort";
      /** Default: 80, and 443 where there are certificates. */
      ports?: FleetPort[];
      annotations?: Record<string, string>;
    };
    /** Proxies. */
    replicas?: number;
    /** Certificates of the ports that speak HTTPS. */
    tls?: { certificateRefs: { name: string; namespace?: string }[] };
    profile?: "envoy-gateway" | "portable";
    /** Default: all. */
    allowedNamespaces?: AllowedNamespaces;
  };
}

/** A port of a fleet's Service. */
export interface FleetPort {
  name?: string;
  port: number;
  /** `HTTPS` for one with the fleet's certificates; so are 443, 8443 and ports named `https…` where it has some. */
  protocol?: string;
  nodePort?: number;
  targetPort?: number;
}

/** What a fleet is rendered with. */
export interface FleetOptions {
  /** Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** Namespaces with APIs or static routes of the fleet: their routes may use the mocks. */
  namespaces?: readonly string[];
  /** The plans of the fleet: which headers are looked at when requests are checked. */
  plans?: readonly RoutePlan[];
}

/** How long proxies go on with connections that were opened under an earlier configuration: what is newly protected waits for it. */
const DRAIN_TIMEOUT = "10s";

const DEFAULT_CLASS = "eg";

/** Makes an object of a fleet; in its own namespace where no other is named. */
type Make = (
  draft: Pick<KubernetesObject, "apiVersion" | "kind" | "spec"> & {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
  },
) => KubernetesObject;

/** Renders a fleet: what its routes need before they come. */
export function renderFleet(fleet: Fleet, options: FleetOptions = {}): KubernetesObject[] {
  const { mocks = MOCKS, plans = [] } = options;
  const namespaces = [...new Set([...options.namespaces ?? [], ...plans.map(({ namespace }) => namespace)])].sort();
  const { profile = "envoy-gateway", gateway } = fleet.spec;
  const make = createMake(fleet);
  const isEnvoy = profile === "envoy-gateway";
  const headers = headerList(plans.flatMap((plan) => [...checkedHeaders(plan)]));
  return [
    ...(gateway === undefined ? ownGateway(fleet, make) : []),
    ...namespaces.map((namespace) => mocksGrant(fleet, namespace, mocks, make)),
    ...(isEnvoy ? namespaces.flatMap((namespace) => requestChecks(fleet, namespace, headers, mocks, make)) : []),
  ];
}

function createMake({ name: fleet, namespace: home }: FleetRef): Make {
  return ({ apiVersion, kind, name, namespace = home, labels, spec }) => ({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: {
        [LABELS.managedBy]: FIELD_MANAGER,
        [LABELS.fleet]: fleet,
        [LABELS.fleetNamespace]: home,
        ...labels,
      },
    },
    spec,
  });
}

/** The Gateway, and how Envoy Gateway runs it. */
function ownGateway({ name, spec }: Fleet, make: Make): KubernetesObject[] {
  const { gatewayClassName = DEFAULT_CLASS, profile = "envoy-gateway", tls, service, allowedNamespaces } = spec;
  const listeners = portsOf(spec).map(({ name, port, protocol }) => ({
    name,
    port,
    protocol,
    ...(protocol === "HTTPS" && tls !== undefined
      ? { tls: { mode: "Terminate", certificateRefs: tls.certificateRefs } }
      : {}),
    allowedRoutes: { namespaces: routeNamespaces(allowedNamespaces) },
  }));
  if (profile === "portable") {
    const { annotations } = service ?? {};
    const infrastructure = annotations === undefined ? {} : { infrastructure: { annotations } };
    return [
      make({
        apiVersion: GATEWAY_API,
        kind: "Gateway",
        name,
        spec: { gatewayClassName, ...infrastructure, listeners },
      }),
    ];
  }
  const parametersRef = { group: ENVOY_GROUP, kind: "EnvoyProxy", name };
  return [
    make({ apiVersion: ENVOY_API, kind: "EnvoyProxy", name, spec: envoyProxySpec(spec) }),
    make({
      apiVersion: GATEWAY_API,
      kind: "Gateway",
      name,
      spec: { gatewayClassName, infrastructure: { parametersRef }, listeners },
    }),
    make({
      apiVersion: ENVOY_API,
      kind: "ClientTrafficPolicy",
      name,
      spec: {
        targetRefs: [{ group: GATEWAY_GROUP, kind: "Gateway", name }],
        // A slash in a path parameter is a part of it.
        path: { escapedSlashesAction: "KeepUnchanged" },
      },
    }),
  ];
}

/** The same for the listeners: the routes that gw makes are in the namespaces of their APIs and static routes. */
function routeNamespaces(
  { from = "Same", selector }: AllowedNamespaces = { from: "All" },
): Pick<AllowedNamespaces, "from" | "selector"> {
  return { from, ...(from === "Selector" ? { selector: selector ?? {} } : {}) };
}

function portsOf({ service, tls }: Fleet["spec"]): { name: string; port: number; protocol: "HTTP" | "HTTPS" }[] {
  const ports = service?.ports ?? [{ port: 80 }, ...(tls === undefined ? [] : [{ port: 443 }])];
  return ports.map(({ name, port, protocol }: FleetPort) => {
    const isSecure = tls !== undefined &&
      (/^https/i.test(protocol ?? "") || port === 443 || port === 8443 || /^https/i.test(name ?? ""));
    const fallback = `${isSecure ? "https" : "http"}-${port}`;
    return { name: name === undefined || name === "" ? fallback : name, port, protocol: isSecure ? "HTTPS" : "HTTP" };
  });
}

function envoyProxySpec({ service = {}, replicas }: Fleet["spec"]): unknown {
  const { type, annotations, ports = [] } = service;
  const patched = ports.filter(({ nodePort = 0, targetPort = 0 }) => nodePort > 0 || targetPort > 0)
    .map(({ port, nodePort = 0, targetPort = 0 }) => ({
      port,
      ...(nodePort > 0 ? { nodePort } : {}),
      ...(targetPort > 0 ? { targetPort } : {}),
    }));
  const envoyService = {
    ...(type === undefined ? {} : { type }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(patched.length === 0 ? {} : { patch: { type: "StrategicMerge", value: { spec: { ports: patched } } } }),
  };
  const kubernetes = {
    ...(Object.keys(envoyService).length === 0 ? {} : { envoyService }),
    ...(replicas === undefined ? {} : { envoyDeployment: { replicas } }),
  };
  return { provider: { type: "Kubernetes", kubernetes }, shutdown: { drainTimeout: DRAIN_TIMEOUT } };
}

/** Lets the routes and policies of a namespace use the mocks, and nothing else there. */
function mocksGrant({ name, namespace: home, spec }: Fleet, from: string, mocks: Mocks, make: Make): KubernetesObject {
  return make({
    apiVersion: `${GATEWAY_GROUP}/v1beta1`,
    kind: "ReferenceGrant",
    name: `gw.${home}.${name}.${from}`,
    namespace: mocks.namespace,
    spec: {
      from: [
        { group: GATEWAY_GROUP, kind: "HTTPRoute", namespace: from },
        ...(spec.profile === "portable" ? [] : [{ group: ENVOY_GROUP, kind: "SecurityPolicy", namespace: from }]),
      ],
      to: [{ group: "", kind: "Service", name: mocks.name }],
    },
  });
}

/**
 * The policy that has requests checked on all routes of a namespace that say so, and a route that it is always in use on:
 * a policy that comes into use together with a route leaves that open for a moment.
 */
function requestChecks(
  fleet: Fleet,
  namespace: string,
  headers: readonly string[],
  mocks: Mocks,
  make: Make,
): KubernetesObject[] {
  const { name: fleetName, namespace: home, spec } = fleet;
  const name = `gw-check.${home}.${fleetName}`;
  const gateway = { name: spec.gateway?.name ?? fleetName, namespace: spec.gateway?.namespace ?? home };
  const matchLabels = { [LABELS.fleet]: fleetName, [LABELS.fleetNamespace]: home, [LABELS.checked]: "true" };
  return [
    make({
      apiVersion: ENVOY_API,
      kind: "SecurityPolicy",
      name,
      namespace,
      spec: {
        targetSelectors: [{ group: GATEWAY_GROUP, kind: "HTTPRoute", matchLabels }],
        extAuth: requestCheck(fleet, headers, mocks),
      },
    }),
    make({
      apiVersion: GATEWAY_API,
      kind: "HTTPRoute",
      name,
      namespace,
      labels: { [LABELS.checked]: "true" },
      spec: {
        parentRefs: [gateway],
        rules: [{
          name: "keeper",
          matches: [{ path: { type: "Exact", value: `/.well-known/gw/check/${home}/${fleetName}/${namespace}` } }],
          filters: [{
            type: "RequestHeaderModifier",
            // No API has this name, so that the mocks answer 404.
            requestHeaderModifier: { set: [{ name: HEADERS.api, value: "-" }] },
          }],
          backendRefs: [{ name: mocks.name, namespace: mocks.namespace, port: mocks.port }],
        }],
      },
    }),
  ];
}
