/**
 * Names and ports of gw itself in a cluster.
 *
 * @module
 */
import { MOCKS } from "../names.ts";

/** Settings of an installation. */
export interface Installation {
  /** The namespace of gw itself. */
  namespace: string;
  /** The container image: an executable `gw` as its entrypoint. */
  image: string;
  /** The number of replicas of `gw serve`, and the least number of mocks. */
  replicas: number;
  /** TCP ports that the pods may connect to, beside DNS and `otelEndpoint`. Default: {@linkcode API_SERVER_PORTS}. */
  egressPorts?: readonly number[];
  /** URL of the OpenTelemetry collector, to which the pods send traces by OTLP over HTTP. Default: no traces. */
  otelEndpoint?: string;
}

/** Ports of API servers: 443 and 6443 are usual, 8443 is minikube's, 16443 MicroK8s'. */
export const API_SERVER_PORTS: readonly number[] = [443, 6443, 8443, 16443];

/** Names of the objects of gw itself. Objects of several kinds that belong together share a name. */
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
  /** Port for request validation, probes and metrics of the mocks. */
  check: MOCKS.checkPort,
} as const;

/** A part of an installation. */
export type Component = "crds" | "rbac" | "serve" | "mock";

/**
 * Labels of the objects of a component. They don't include `app.kubernetes.io/managed-by`: the controller deletes
 * objects with that label that no plan (routes of an API) needs.
 */
export function labelsOf(component: Component): Record<string, string> {
  return { "app.kubernetes.io/name": "gw", "app.kubernetes.io/component": component };
}
