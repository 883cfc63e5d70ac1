import type { KubernetesObject } from "../object.ts";
import { API_SERVER_PORTS, type Component, type Installation, INSTALLED, labelsOf, PORTS } from "./installation.ts";

/** The connections that a NetworkPolicy allows to the pods of a component. */
interface Traffic {
  name: string;
  component: Component;
  ingress: readonly object[];
}

/** The peers of a NetworkPolicy rule: the pods of all namespaces, but no client outside the cluster. */
const PODS = [{ namespaceSelector: {} }];

/** The settings of an installation that its NetworkPolicies depend on. */
export type NetworkPolicyOptions = Pick<Installation, "namespace" | "egressPorts" | "otelEndpoint">;

/** The rule that allows connections to DNS servers at any address. */
const DNS = { ports: [{ port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" }] };

/** Makes the NetworkPolicy of `gw serve`. Pods may connect to the management API, and the API server to the webhook. */
export function serveNetworkPolicy(options: NetworkPolicyOptions): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.serve,
    component: "serve",
    ingress: [
      { from: PODS, ports: [tcp(PORTS.management)] },
      // The webhook may be called from any address, since API servers often run outside of pods.
      { ports: [tcp(PORTS.webhook)] },
    ],
  }, options);
}

/**
 * Makes the NetworkPolicy of `gw mock --cluster`. Pods of all namespaces may connect to it, among them proxies and
 * Prometheus.
 */
export function mockNetworkPolicy(options: NetworkPolicyOptions): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.mock,
    component: "mock",
    ingress: [{ from: PODS, ports: [tcp(PORTS.mock), tcp(PORTS.check)] }],
  }, options);
}

function networkPolicy({ name, component, ingress }: Traffic, options: NetworkPolicyOptions): KubernetesObject {
  const { namespace } = options;
  const labels = labelsOf(component);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress", "Egress"],
      ingress,
      egress: [DNS, { ports: egressPorts(options).map(tcp) }],
    },
  };
}

/**
 * Returns the ports of the API server and the OpenTelemetry collector. Connections to these ports are allowed at any
 * address, because the address of the API server isn't known when the manifests are made.
 */
function egressPorts({ egressPorts = API_SERVER_PORTS, otelEndpoint }: NetworkPolicyOptions): number[] {
  const ports = otelEndpoint === undefined ? egressPorts : [...egressPorts, portOf(new URL(otelEndpoint))];
  return [...new Set(ports)];
}

function portOf({ protocol, port }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function tcp(port: number): object {
  return { port, protocol: "TCP" };
}
