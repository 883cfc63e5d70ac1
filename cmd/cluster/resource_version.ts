import type { KubernetesObject } from "../../lib/cluster/object.ts";

/** Whether an object is an earlier state of another of its kind. */
export function isOlder(a: KubernetesObject, b: KubernetesObject): boolean {
  return isOlderVersion(a.metadata.resourceVersion ?? "", b.metadata.resourceVersion ?? "");
}

/** Compares versions: those of the objects of a kind are numbers that grow, written without zeros in front. */
export function isOlderVersion(version: string, other: string): boolean {
  return version.length === other.length ? version < other : version.length < other.length;
}
