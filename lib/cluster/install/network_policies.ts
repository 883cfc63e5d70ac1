import type { KubernetesObject } from "../object.ts";
import { API_SERVER_PORTS, type Component, type Installation, INSTALLED, labelsOf, PORTS } from "./installation.ts";

/** Whom pods may be asked by, and whom they may ask. */
interface Traffic {
  name: string;
  component: Component;
  ingress: readonly object[];
}

/** Any pod of the cluster, and nobody outside. */
const PODS = [{ namespaceSelector: {} }];

/** The parts of an installation that its network policies depend on. */
export type PolicyOptions = Pick<Installation, "namespace" | "egressPorts" | "otelEndpoint">;

/** DNS. */
const NAMES = { ports: [{ port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" }] };

/** Lets in what has business with `gw serve`. */
export function serveNetworkPolicy(options: PolicyOptions): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.serve,
    component: "serve",
    ingress: [
      { from: PODS, ports: [tcp(PORTS.management)] },
      // API servers are often no pods.
      { ports: [tcp(PORTS.webhook)] },
    ],
  }, options);
}

/** Lets the proxies in, wherever they run, and whoever reads the figures. */
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

/** The address of the API server isn't known here, so its ports are permitted at any address. */
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
