import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { Informer } from "./informer.ts";
import { specVersionOf } from "./shelf.ts";

/**
 * Tells whether two versions of an object say the same. A controller writes an object's status right after each change of
 * it, which gives it another version; somebody who meant the version before meant this one, too.
 */
export interface SpecVersions {
  isSame(version: string, object: KubernetesObject): boolean;
}

/** The most versions that are remembered. */
const MOST = 10_000;

/** Remembers the versions that informers see from now on. */
export function createSpecVersions(informers: readonly Informer[]): SpecVersions {
  const known = new Map<string, string>();
  for (const informer of informers) informer.onChange(remember);
  return {
    isSame: (version, object) =>
      version === object.metadata.resourceVersion || known.get(version) === specVersionOf(object),
  };

  function remember(object: KubernetesObject): void {
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) return;
    known.set(resourceVersion, specVersionOf(object));
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  }
}
