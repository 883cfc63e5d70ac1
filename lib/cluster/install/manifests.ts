/**
 * All objects of an installation of gw in a cluster.
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

/** Options of {@linkcode manifests}. */
export interface ManifestOptions extends Installation {
  /** Makes only the objects of this part. Default: all. */
  only?: Component;
  /** Whether to add ServiceMonitors, a kind of the Prometheus operator, which a cluster may lack. Default: no. */
  serviceMonitors?: boolean;
}

/** The parts in the order in which they are applied: each needs only parts before it. */
const PARTS: readonly Component[] = ["crds", "rbac", "serve", "mock"];

/** Makes the objects of an installation, in the order in which they are to be applied. */
export function manifests({ only, serviceMonitors = false, ...installation }: ManifestOptions): KubernetesObject[] {
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

/** The namespace of gw. Kubernetes admits only pods that meet the `restricted` Pod Security Standard. */
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
      return [serviceMonitor(INSTALLED.serve, part, { port: "management", ...AS_PROMETHEUS }, namespace)];
    case "mock":
      return [serviceMonitor(INSTALLED.mock, part, { port: "check" }, namespace)];
  }
}

/**
 * The token that Prometheus sends: the management API shows its metrics only to accounts with the ClusterRole
 * `gw-metrics`.
 */
const AS_PROMETHEUS = { bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" } as const;

function serviceMonitor(name: string, component: Component, endpoint: object, namespace: string): KubernetesObject {
  const labels = labelsOf(component);
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name, namespace, labels },
    spec: { selector: { matchLabels: labels }, endpoints: [{ ...endpoint, path: "/metrics", interval: "30s" }] },
  };
}
