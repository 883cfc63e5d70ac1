/**
 * Renders a fleet (a group of proxies that share listeners) as Kubernetes objects: the Gateway, unless the fleet uses
 * an existing one, and objects for each namespace with routes on the fleet. These are a ReferenceGrant for the mocks,
 * and the shared policy for request validation, if some operation of the namespace needs it.
 *
 * @module
 */
import { HEADERS, LABELS, MOCKS, RENDER_MANAGER } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { needsSharedPolicy } from "./access.ts";
import { declaredHeaders, extAuthHeaders, validationExtAuth } from "./ext_auth.ts";
import { ENVOY_API, ENVOY_GROUP, GATEWAY_API, GATEWAY_GROUP } from "./gateway_api.ts";
import type { Mocks, Profile } from "./rendering.ts";
import type { AllowedNamespaces } from "../../gateway/allowed_namespaces.ts";
import type { FleetRef, RoutePlan } from "../../gateway/route.ts";

/** A fleet with those fields of the custom resource `Fleet` on which its objects depend. */
export interface Fleet extends FleetRef {
  /**
   * The value of the label `app.kubernetes.io/managed-by` on its objects. Default: that of objects which `gw render`
   * prints.
   */
  readonly manager?: string;
  readonly spec: {
    /** An existing Gateway. Default: gw makes one. */
    gateway?: { name: string; namespace?: string };
    /** The GatewayClass of the Gateway that gw makes. Default: `eg`. */
    gatewayClassName?: string;
    service?: {
      /** The type of the Service in front of the proxies. Default: Envoy Gateway's default, LoadBalancer. */
      type?: "ClusterIP" | "LoadBalancer" | "NodePort";
      /** The ports of the Service. Default: 80, and 443 if there are certificates. */
      ports?: FleetPort[];
      annotations?: Record<string, string>;
    };
    /** The number of proxies. Default: Envoy Gateway's default. */
    replicas?: number;
    /** The certificates of the HTTPS listeners. */
    tls?: { certificateRefs: { name: string; namespace?: string }[] };
    /** Ranges of the addresses of proxies in front of the gateway that tell the client's address and scheme. */
    trustedProxies?: string[];
    profile?: Profile;
    /** The namespaces whose APIs and static routes the fleet admits. Default: all namespaces. */
    allowedNamespaces?: AllowedNamespaces;
  };
}

/** A port of the Service in front of a fleet's proxies. */
export interface FleetPort {
  name?: string;
  port: number;
  /**
   * `HTTPS` makes a listener with the fleet's certificates. Default: HTTPS for the ports 443 and 8443 and for names
   * such as `https-x`.
   */
  protocol?: string;
  nodePort?: number;
  targetPort?: number;
}

/** Options of {@linkcode renderFleet}. */
export interface FleetOptions {
  /** The Service of the mocks. Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** Namespaces with APIs or static routes on the fleet, apart from those of `plans`. */
  namespaces?: readonly string[];
  /** The plans of the fleet. Request validation needs the headers that their operations declare. */
  plans?: readonly RoutePlan[];
}

/**
 * The time for which proxies serve existing connections with the old configuration. Requests on these connections
 * bypass a new policy, so a newly protected route answers 503 for so long.
 */
const DRAIN_TIMEOUT = "10s";

/**
 * The part of a proxy's bootstrap configuration by which Envoy doesn't complete names by the search domains of the
 * cluster. Otherwise the keys of `https://id.example/keys` would be those of a Service `id` as soon as there is a
 * namespace `example`. Envoy Gateway makes the clusters for `jwks_uri` and for the token endpoint of an issuer from
 * their URLs, in which a final dot would become a part of `Host`.
 */
const ABSOLUTE_NAMES = {
  typed_dns_resolver_config: {
    name: "envoy.network.dns_resolver.cares",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
      dns_resolver_options: { no_default_search_domain: true },
    },
  },
};

/** The name of the GatewayClass that an installation of Envoy Gateway has by default. */
const DEFAULT_CLASS = "eg";

/** Renders a fleet as Kubernetes objects, which are applied before the objects of its routes. */
export function renderFleet(fleet: Fleet, options: FleetOptions = {}): KubernetesObject[] {
  const { mocks = MOCKS, plans = [] } = options;
  const namespaces = [...new Set([...options.namespaces ?? [], ...plans.map(({ namespace }) => namespace)])].sort();
  return [
    ...renderProxies(fleet),
    ...namespaces.flatMap((namespace) => Object.values(renderNamespace(fleet, namespace, { mocks, plans })).flat()),
  ];
}

/** Renders the Gateway of a fleet with its proxies; nothing if the fleet uses an existing Gateway. */
export function renderProxies(fleet: Fleet): KubernetesObject[] {
  return fleet.spec.gateway === undefined ? gatewayObjects(fleet) : [];
}

/**
 * Renders the objects of a fleet for a namespace with APIs or static routes on it: the ReferenceGrant for the mocks,
 * and the shared policy if the requests of some operation there are validated. Each policy is a filter that Envoy runs
 * for all requests of a listener, so a namespace without validated operations has none.
 *
 * @param plans The plans of the fleet. Those of other namespaces don't count.
 */
export function renderNamespace(
  fleet: Fleet,
  namespace: string,
  { mocks = MOCKS, plans = [] }: Pick<FleetOptions, "mocks" | "plans">,
): { grants: KubernetesObject[]; validation: KubernetesObject[] } {
  const checked = plans.filter((plan) => plan.namespace === namespace && needsSharedPolicy(plan));
  const headers = extAuthHeaders(checked.flatMap((plan) => [...declaredHeaders(plan)]));
  const isChecked = fleet.spec.profile !== "portable" && checked.length > 0;
  return {
    grants: [mocksGrant(fleet, namespace, mocks)],
    validation: isChecked ? validationObjects(fleet, namespace, headers, mocks) : [],
  };
}

/** An object of a fleet, without the metadata that all objects of the fleet share. */
interface Draft extends Pick<KubernetesObject, "apiVersion" | "kind" | "spec"> {
  name: string;
  /** The namespace of the object. Default: the namespace of the fleet. */
  namespace?: string;
  labels?: Record<string, string>;
}

function makeObject(fleet: Omit<Fleet, "spec">, draft: Draft): KubernetesObject {
  const { apiVersion, kind, name, namespace = fleet.namespace, labels, spec } = draft;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: {
        [LABELS.managedBy]: fleet.manager ?? RENDER_MANAGER,
        [LABELS.fleet]: fleet.name,
        [LABELS.fleetNamespace]: fleet.namespace,
        ...labels,
      },
    },
    spec,
  };
}

/** Makes the Gateway of a fleet, with the settings of its proxies in kinds of Envoy Gateway. */
function gatewayObjects(fleet: Fleet): KubernetesObject[] {
  const { name, spec } = fleet;
  const { gatewayClassName = DEFAULT_CLASS, profile = "envoy-gateway", tls, service } = spec;
  const { allowedNamespaces, trustedProxies } = spec;
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
        // `%2F` in a path parameter is a part of the parameter, and doesn't separate segments.
        path: { escapedSlashesAction: "KeepUnchanged" },
        ...(trustedProxies === undefined
          ? {}
          : { clientIPDetection: { xForwardedFor: { trustedCIDRs: trustedProxies } } }),
      },
    }),
  ];
}

/**
 * Returns the namespaces from which listeners admit HTTPRoutes: those that the fleet admits, since gw makes each
 * HTTPRoute in the namespace of its API or static route.
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
  return {
    provider: { type: "Kubernetes", kubernetes },
    bootstrap: { type: "Merge", value: JSON.stringify(ABSOLUTE_NAMES) },
    shutdown: { drainTimeout: DRAIN_TIMEOUT },
  };
}

/**
 * Makes the ReferenceGrant by which HTTPRoutes and policies of a namespace may refer to the Service of the mocks, and
 * to no other object of gw's namespace.
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
 * Makes the shared policy for request validation, and its keeper. The policy selects all HTTPRoutes of a namespace with
 * validated requests, by a label. The keeper is an HTTPRoute with this label, for a path of gw itself, that is made
 * before the others, so that the policy is already in force when the first of them is made. Otherwise that route would
 * be open for a moment.
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
            // No API has this name, so the mocks answer 404.
            requestHeaderModifier: { set: [{ name: HEADERS.api, value: "-" }] },
          }],
          backendRefs: [{ name: mocks.name, namespace: mocks.namespace, port: mocks.port }],
        }],
      },
    }),
  ];
}
