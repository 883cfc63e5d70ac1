import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { Informer } from "./informer.ts";

/** The most versions that are remembered. */
const MOST = 10_000;

/** Whether an object is an earlier state of another of its kind. */
export function isOlder(a: KubernetesObject, b: KubernetesObject): boolean {
  return isOlderVersion(a.metadata.resourceVersion ?? "", b.metadata.resourceVersion ?? "");
}

/** Compares values of `resourceVersion`: within a kind they are growing numbers, written without leading zeros. */
export function isOlderVersion(version: string, other: string): boolean {
  return version.length === other.length ? version < other : version.length < other.length;
}

/** Identifies the `spec` of an object: `uid` and `generation`, which labels, annotations and status leave as they are. */
export function specVersionOf({ metadata: { uid = "", generation = 0 } }: KubernetesObject): string {
  return `${uid}/${generation}`;
}

/**
 * Remembers which `resourceVersion` had which `spec`, from now on. A controller writes an object's status right after each
 * change, which gives the object another `resourceVersion`: a client that names the version before means the same `spec`.
 */
export class SpecVersions {
  readonly #specs = new Map<string, string>();

  constructor(informers: readonly Pick<Informer, "onChange">[]) {
    for (const informer of informers) informer.onChange((object) => this.#remember(object));
  }

  /** Whether an object has the `spec` that it had at an earlier `resourceVersion`. */
  isSame(version: string, object: KubernetesObject): boolean {
    return version === object.metadata.resourceVersion || this.#specs.get(version) === specVersionOf(object);
  }

  #remember(object: KubernetesObject): void {
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) return;
    this.#specs.set(resourceVersion, specVersionOf(object));
    const [oldest] = this.#specs.keys();
    if (this.#specs.size > MOST && oldest !== undefined) this.#specs.delete(oldest);
  }
}
