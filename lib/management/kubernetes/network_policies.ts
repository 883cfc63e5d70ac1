import type { KubernetesObject } from "../../gateway/kubernetes/object.ts";
import { type Component, INSTALLED, labelsOf, PORTS } from "./installation.ts";

/** Whom pods may be asked by, and whom they may ask. */
interface Traffic {
  name: string;
  component: Component;
  ingress: readonly object[];
}

/** Any pod of the cluster, and nobody outside. */
const PODS = [{ namespaceSelector: {} }];

/**
 * Where else the pods may connect to: names, and the API server. Where it is isn't known here, but that it is asked by
 * TLS on one of these ports.
 */
const EGRESS = [
  { ports: [{ port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" }] },
  { ports: [443, 6443].map((port) => ({ port, protocol: "TCP" })) },
];

/** Lets in what has business with `gw serve`. */
export function serveNetworkPolicy(namespace: string): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.serve,
    component: "serve",
    ingress: [
      { from: PODS, ports: [tcp(PORTS.management)] },
      // API servers are often no pods.
      { ports: [tcp(PORTS.webhook)] },
    ],
  }, namespace);
}

/** Lets the proxies in, wherever they run, and whoever reads the figures. */
export function mockNetworkPolicy(namespace: string): KubernetesObject {
  return networkPolicy({
    name: INSTALLED.mock,
    component: "mock",
    ingress: [{ from: PODS, ports: [tcp(PORTS.mock), tcp(PORTS.check)] }],
  }, namespace);
}

function networkPolicy({ name, component, ingress }: Traffic, namespace: string): KubernetesObject {
  const labels = labelsOf(component);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels },
    spec: { podSelector: { matchLabels: labels }, policyTypes: ["Ingress", "Egress"], ingress, egress: EGRESS },
  };
}

function tcp(port: number): object {
  return { port, protocol: "TCP" };
}
