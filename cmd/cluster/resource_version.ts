import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { Informer } from "./informer.ts";

/** The maximum number of versions in memory. */
const MOST = 10_000;

/** Whether an object is an earlier state of another of its kind. */
export function isOlder(a: KubernetesObject, b: KubernetesObject): boolean {
  return isOlderVersion(a.metadata.resourceVersion ?? "", b.metadata.resourceVersion ?? "");
}

/** Compares values of `resourceVersion`: within a kind they are growing numbers, written without leading zeros. */
export function isOlderVersion(version: string, other: string): boolean {
  return version.length === other.length ? version < other : version.length < other.length;
}

/**
 * Identifies the `spec` of an object by `uid` and `generation`, which changes of labels, annotations and status leave
 * as they are.
 */
export function specVersionOf({ metadata: { uid = "", generation = 0 } }: KubernetesObject): string {
  return `${uid}/${generation}`;
}

/**
 * Records which `resourceVersion` had which `spec`. A controller writes an object's status right after each change,
 * which gives the object another `resourceVersion`. So a client that names the version before that (in `If-Match`)
 * means the same `spec`, and its change isn't refused.
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
