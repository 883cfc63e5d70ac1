/**
 * The Kubernetes objects by which gw is installed in a cluster (`gw manifests`).
 *
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { revisionPolicy, sizePolicies, webhookConfiguration } from "./admission_policies.ts";
import { customResourceDefinitions } from "../crds/crds.ts";
import { type Component, type Installation, INSTALLED, labelsOf } from "./installation.ts";
import { mockNetworkPolicy, serveNetworkPolicy } from "./network_policies.ts";
import { rbac } from "./rbac.ts";
import { mockWorkload, serveWorkload } from "./workloads.ts";

export type { Component, Installation };

/** Options of {@linkcode installManifests}. */
export interface ManifestOptions extends Installation {
  /** The only part to make objects of. Default: all parts. */
  only?: Component;
  /**
   * Whether to add ServiceMonitors. Their kind is defined by the Prometheus operator, which a cluster may lack.
   * Default: no.
   */
  serviceMonitors?: boolean;
}

/** The parts of an installation in the order in which they are applied. Each part needs only parts before it. */
const PARTS: readonly Component[] = ["crds", "rbac", "serve", "mock"];

/** Makes the objects of an installation, in the order in which they are applied. */
export function installManifests(
  { only, serviceMonitors = false, ...installation }: ManifestOptions,
): KubernetesObject[] {
  const parts = only === undefined ? PARTS : [only];
  return [
    ...(only === "crds" ? [] : [namespaceObject(installation.namespace)]),
    ...parts.flatMap((part) => objectsOf(part, installation)),
    ...(serviceMonitors ? parts.flatMap((part) => serviceMonitorsOf(part, installation.namespace)) : []),
  ];
}

function objectsOf(part: Component, installation: Installation): KubernetesObject[] {
  switch (part) {
    case "crds":
      return customResourceDefinitions();
    case "rbac":
      return [...rbac(installation.namespace), ...revisionPolicy(installation.namespace)];
    case "serve":
      return [
        ...sizePolicies(),
        serveNetworkPolicy(installation),
        ...serveWorkload(installation),
        webhookConfiguration(installation),
      ];
    case "mock":
      return [mockNetworkPolicy(installation), ...mockWorkload(installation)];
  }
}

/** Makes the namespace of gw. Kubernetes admits only pods that meet the Pod Security Standard `restricted` to it. */
function namespaceObject(name: string): KubernetesObject {
  const level = "restricted";
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: {
        "app.kubernetes.io/name": "gw",
        "pod-security.kubernetes.io/enforce": level,
        "pod-security.kubernetes.io/warn": level,
      },
    },
  };
}

function serviceMonitorsOf(part: Component, namespace: string): KubernetesObject[] {
  switch (part) {
    case "crds":
    case "rbac":
      return [];
    case "serve":
      return [serviceMonitor(INSTALLED.serve, part, { port: "management", ...PROMETHEUS_TOKEN }, namespace)];
    case "mock":
      return [serviceMonitor(INSTALLED.mock, part, { port: "check" }, namespace)];
  }
}

/**
 * The token that Prometheus sends to the management API, which shows its metrics only to accounts with the ClusterRole
 * `gw-metrics`.
 */
const PROMETHEUS_TOKEN = { bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" } as const;

function serviceMonitor(name: string, component: Component, endpoint: object, namespace: string): KubernetesObject {
  const labels = labelsOf(component);
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name, namespace, labels },
    spec: { selector: { matchLabels: labels }, endpoints: [{ ...endpoint, path: "/metrics", interval: "30s" }] },
  };
}
