/**
 * The objects of a fleet (proxies that share listeners): its Gateway, unless the fleet attaches to an existing one, and
 * for each namespace with routes of the fleet a ReferenceGrant for the mocks and the shared policy for request
 * validation.
 *
 * @module
 */
import { FIELD_MANAGER, HEADERS, LABELS, MOCKS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { declaredHeaders, extAuthHeaders, validationExtAuth } from "./ext_auth.ts";
import { ENVOY_API, ENVOY_GROUP, GATEWAY_API, GATEWAY_GROUP } from "./gateway_api.ts";
import type { Mocks, Profile } from "./rendering.ts";
import type { AllowedNamespaces } from "../../gateway/allowed_namespaces.ts";
import type { FleetRef, RoutePlan } from "../../gateway/route.ts";

/** A fleet, with the fields that its objects depend on. The custom resource Fleet has the same `spec`. */
export interface Fleet extends FleetRef {
  readonly spec: {
    /** An existing Gateway. Default: gw makes one. */
    gateway?: { name: string; namespace?: string };
    /** Default: `eg`. */
    gatewayClassName?: string;
    service?: {
      /** Default: Envoy Gateway's default, LoadBalancer. */
      type?: "ClusterIP" | "LoadBalancer" | "NodePort";
      /** The ports of the proxies. Default: 80, and 443 if there are certificates. */
      ports?: FleetPort[];
      annotations?: Record<string, string>;
    };
    /** The number of proxies. */
    replicas?: number;
    /** Certificates of the HTTPS listeners. */
    tls?: { certificateRefs: { name: string; namespace?: string }[] };
    profile?: Profile;
    /** Default: all. */
    allowedNamespaces?: AllowedNamespaces;
  };
}

/** A port of a fleet's Service. */
export interface FleetPort {
  name?: string;
  port: number;
  /** `HTTPS` for a listener with the fleet's certificates. Default: HTTPS for 443, 8443 and names such as `https-x`. */
  protocol?: string;
  nodePort?: number;
  targetPort?: number;
}

/** Options of the objects of a fleet. */
export interface FleetOptions {
  /** The Service of the mocks. Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** Namespaces with APIs or static routes of the fleet, beside those of `plans`. */
  namespaces?: readonly string[];
  /** The plans of the fleet: request validation needs the headers that their operations declare. */
  plans?: readonly RoutePlan[];
}

/**
 * How long proxies serve old connections with the earlier configuration. Such connections bypass a new policy, so a
 * newly protected route answers 503 for as long.
 */
const DRAIN_TIMEOUT = "10s";

/** The GatewayClass of Envoy Gateway's installation. */
const DEFAULT_CLASS = "eg";

/** Renders the objects of a fleet. Apply them before its routes. */
export function renderFleet(fleet: Fleet, options: FleetOptions = {}): KubernetesObject[] {
  const { mocks = MOCKS, plans = [] } = options;
  const namespaces = [...new Set([...options.namespaces ?? [], ...plans.map(({ namespace }) => namespace)])].sort();
  const { profile = "envoy-gateway", gateway } = fleet.spec;
  const headers = extAuthHeaders(plans.flatMap((plan) => [...declaredHeaders(plan)]));
  return [
    ...(gateway === undefined ? gatewayObjects(fleet) : []),
    ...namespaces.map((namespace) => mocksGrant(fleet, namespace, mocks)),
    ...(profile === "portable"
      ? []
      : namespaces.flatMap((namespace) => validationObjects(fleet, namespace, headers, mocks))),
  ];
}

/** An object of a fleet before it gets the fleet's metadata. */
interface Draft extends Pick<KubernetesObject, "apiVersion" | "kind" | "spec"> {
  name: string;
  /** Default: the namespace of the fleet. */
  namespace?: string;
  labels?: Record<string, string>;
}

function makeObject(fleet: FleetRef, draft: Draft): KubernetesObject {
  const { apiVersion, kind, name, namespace = fleet.namespace, labels, spec } = draft;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: {
        [LABELS.managedBy]: FIELD_MANAGER,
        [LABELS.fleet]: fleet.name,
        [LABELS.fleetNamespace]: fleet.namespace,
        ...labels,
      },
    },
    spec,
  };
}

/** The Gateway of a fleet, with the settings of its proxies in Envoy Gateway's kinds. */
function gatewayObjects(fleet: Fleet): KubernetesObject[] {
  const { name, spec } = fleet;
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
      makeObject(fleet, {
        apiVersion: GATEWAY_API,
        kind: "Gateway",
        name,
        spec: { gatewayClassName, ...infrastructure, listeners },
      }),
    ];
  }
  const parametersRef = { group: ENVOY_GROUP, kind: "EnvoyProxy", name };
  return [
    makeObject(fleet, { apiVersion: ENVOY_API, kind: "EnvoyProxy", name, spec: envoyProxySpec(spec) }),
    makeObject(fleet, {
      apiVersion: GATEWAY_API,
      kind: "Gateway",
      name,
      spec: { gatewayClassName, infrastructure: { parametersRef }, listeners },
    }),
    makeObject(fleet, {
      apiVersion: ENVOY_API,
      kind: "ClientTrafficPolicy",
      name,
      spec: {
        targetRefs: [{ group: GATEWAY_GROUP, kind: "Gateway", name }],
        // `%2F` in a path parameter is part of the parameter, not a separator.
        path: { escapedSlashesAction: "KeepUnchanged" },
      },
    }),
  ];
}

/**
 * The namespaces that listeners admit routes from: those that may use the fleet. gw makes routes in the namespaces of
 * their APIs and static routes.
 */
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

/**
 * Makes the ReferenceGrant by which routes and policies of a namespace may use the Service of the mocks, and no other
 * object of gw's namespace.
 */
function mocksGrant(fleet: Fleet, from: string, mocks: Mocks): KubernetesObject {
  const { name, namespace: home, spec } = fleet;
  return makeObject(fleet, {
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
 * Makes the shared policy for request validation, and its keeper. The policy attaches by label to all HTTPRoutes of a
 * namespace with validated requests. The keeper is an HTTPRoute with that label that gw makes before them, so that the
 * policy is in force already when the first of them is made. Otherwise that route would be open for a moment.
 */
function validationObjects(
  fleet: Fleet,
  namespace: string,
  headers: readonly string[],
  mocks: Mocks,
): KubernetesObject[] {
  const { name: fleetName, namespace: home, spec } = fleet;
  const name = `gw-check.${home}.${fleetName}`;
  const gateway = { name: spec.gateway?.name ?? fleetName, namespace: spec.gateway?.namespace ?? home };
  const matchLabels = { [LABELS.fleet]: fleetName, [LABELS.fleetNamespace]: home, [LABELS.checked]: "true" };
  return [
    makeObject(fleet, {
      apiVersion: ENVOY_API,
      kind: "SecurityPolicy",
      name,
      namespace,
      spec: {
        targetSelectors: [{ group: GATEWAY_GROUP, kind: "HTTPRoute", matchLabels }],
        extAuth: validationExtAuth(fleet, headers, mocks),
      },
    }),
    makeObject(fleet, {
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
            // No API has this name: the mocks answer 404.
            requestHeaderModifier: { set: [{ name: HEADERS.api, value: "-" }] },
          }],
          backendRefs: [{ name: mocks.name, namespace: mocks.namespace, port: mocks.port }],
        }],
      },
    }),
  ];
}
