/**
 * Names and ports of gw itself in a cluster.
 *
 * @module
 */
import { MOCKS } from "../names.ts";

/** Where gw is installed, and what of. */
export interface Installation {
  /** The namespace of gw itself. */
  namespace: string;
  /** The container image: an executable `gw` as its entrypoint. */
  image: string;
  /** How many replicas there are of `gw serve`, and at least of the mocks. */
  replicas: number;
  /** TCP ports that the pods may connect to, beside DNS and `otelEndpoint`. Default: {@linkcode API_SERVER_PORTS}. */
  egressPorts?: readonly number[];
  /** URL of the OpenTelemetry collector that the pods send traces to by OTLP over HTTP. Default: they don't trace. */
  otelEndpoint?: string;
}

/** Ports of API servers: 443 and 6443 are usual, 8443 is minikube's, 16443 MicroK8s'. */
export const API_SERVER_PORTS: readonly number[] = [443, 6443, 8443, 16443];

/** The objects of gw itself; where several kinds belong to one thing, they have one name. */
export const INSTALLED = {
  /** The management API and the controller: ServiceAccount, ClusterRole, Deployment, … */
  serve: "gw-serve",
  /** The mocks. */
  mock: MOCKS.name,
  /** The Service of the management API and the webhook. */
  service: "gw",
  /** The Lease of the leader. */
  lease: "gw-controller",
  /** The Secret with the webhook's certificate. */
  webhookSecret: "gw-webhook",
  /** The ValidatingWebhookConfiguration. */
  webhookConfiguration: "gw",
  /** Path of the webhook. */
  webhookPath: "/validate",
} as const;

/** Ports of gw itself, the same on Services and containers. */
export const PORTS = {
  management: 8090,
  webhook: 9443,
  mock: MOCKS.port,
  /** Checks of requests, probes and metrics of the mocks. */
  check: MOCKS.checkPort,
} as const;

/** A part of an installation. */
export type Component = "crds" | "rbac" | "serve" | "mock";

/**
 * Labels of the objects of a component. They don't say that gw manages them: whatever has that label and isn't wanted by a
 * plan is taken away.
 */
export function labelsOf(component: Component): Record<string, string> {
  return { "app.kubernetes.io/name": "gw", "app.kubernetes.io/component": component };
}
