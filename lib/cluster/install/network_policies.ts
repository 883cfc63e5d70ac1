import type { KubernetesObject } from "../object.ts";
import { API_SERVER_PORTS, type Component, type Installation, INSTALLED, labelsOf, PORTS } from "./installation.ts";

/** The connections to the pods of a component. */
interface Traffic {
  name: string;
  component: Component;
  ingress: readonly object[];
}

/** The peers that may connect to a port: all pods of the cluster, and no clients outside. */
const PODS = [{ namespaceSelector: {} }];

/** The settings that network policies depend on. */
export type PolicyOptions = Pick<Installation, "namespace" | "egressPorts" | "otelEndpoint">;

/** Pods may ask DNS servers at any address. */
const NAMES = { ports: [{ port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" }] };

/**
 * Makes the policy by which pods may connect to the management API of `gw serve`, and the API server to its webhook.
 */
export function serveNetworkPolicy(options: PolicyOptions): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.serve,
    component: "serve",
    ingress: [
      { from: PODS, ports: [tcp(PORTS.management)] },
      // From any address: API servers often run outside of pods.
      { ports: [tcp(PORTS.webhook)] },
    ],
  }, options);
}

/** Makes the policy by which the proxies of every namespace, and Prometheus, may connect to the mocks. */
export function mockNetworkPolicy(options: PolicyOptions): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.mock,
    component: "mock",
    ingress: [{ from: PODS, ports: [tcp(PORTS.mock), tcp(PORTS.check)] }],
  }, options);
}

function networkPolicy({ name, component, ingress }: Traffic, options: PolicyOptions): KubernetesObject {
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
      egress: [NAMES, { ports: egressPorts(options).map(tcp) }],
    },
  };
}

/**
 * The ports of the API server and the OpenTelemetry collector. They are allowed at any address, because the address of
 * the API server isn't known here.
 */
function egressPorts({ egressPorts = API_SERVER_PORTS, otelEndpoint }: PolicyOptions): number[] {
  const ports = otelEndpoint === undefined ? egressPorts : [...egressPorts, portOf(new URL(otelEndpoint))];
  return [...new Set(ports)];
}

function portOf({ protocol, port }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function tcp(port: number): object {
  return { port, protocol: "TCP" };
}
