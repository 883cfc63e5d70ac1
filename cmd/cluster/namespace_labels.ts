import type { KubernetesObject } from "../../lib/cluster/object.ts";

/** The labels of an observed Namespace; `undefined` when it isn't observed (yet). */
export function labelsOfNamespace(namespace: KubernetesObject | undefined): Record<string, string> | undefined {
  return namespace === undefined ? undefined : namespace.metadata.labels ?? {};
}
