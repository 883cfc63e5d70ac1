/**
 * The names and ports of gw's own objects in a cluster.
 *
 * @module
 */
import { MOCKS } from "../names.ts";

/** The settings of an installation of gw in a cluster. */
export interface Installation {
  /** The namespace in which gw is installed. */
  namespace: string;
  /** The container image. Its entrypoint is the executable `gw`. */
  image: string;
  /** The number of replicas of `gw serve`, and the least number of replicas of `gw mock --cluster`. */
  replicas: number;
  /**
   * The TCP ports to which gw's pods may connect, apart from DNS and the port of `otelEndpoint`. Default: {@linkcode
   * API_SERVER_PORTS}.
   */
  egressPorts?: readonly number[];
  /** The URL of an OpenTelemetry collector, to which the pods send traces (OTLP over HTTP). Default: no traces. */
  otelEndpoint?: string;
}

/** The usual ports of Kubernetes API servers: 443 and 6443, 8443 in minikube, and 16443 in MicroK8s. */
export const API_SERVER_PORTS: readonly number[] = [443, 6443, 8443, 16443];

/** The names of gw's own objects. Objects of several kinds share a name if they belong together. */
export const INSTALLED = {
  /** `gw serve`, with the management API and the controller: its ServiceAccount, ClusterRole, Deployment and so on. */
  serve: "gw-serve",
  /** `gw mock --cluster`: its ServiceAccount, ClusterRole, Deployment, Service and so on. */
  mock: MOCKS.name,
  /** The Service of the management API and the webhook. */
  service: "gw",
  /** The Lease by which a replica of `gw serve` becomes the leader. */
  lease: "gw-controller",
  /** The Secret with the certificate of the webhook. */
  webhookSecret: "gw-webhook",
  /** The ValidatingWebhookConfiguration. */
  webhookConfiguration: "gw",
  /** The path of the webhook. */
  webhookPath: "/validate",
} as const;

/** The ports of gw's pods. Services and containers use equal numbers. */
export const PORTS = {
  management: 8090,
  webhook: 9443,
  mock: MOCKS.port,
  /** The port of `gw mock --cluster` for request validation, probes and metrics. */
  check: MOCKS.checkPort,
} as const;

/** A part of an installation, which can be applied by itself. */
export type Component = "crds" | "rbac" | "serve" | "mock";

/**
 * Returns the labels of the objects of a component. They don't include `app.kubernetes.io/managed-by`, because the
 * controller deletes objects with this label that no plan needs.
 */
export function labelsOf(component: Component): Record<string, string> {
  return { "app.kubernetes.io/name": "gw", "app.kubernetes.io/component": component };
}
