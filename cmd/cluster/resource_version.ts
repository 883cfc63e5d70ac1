import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { Informer } from "./informer.ts";

/** The most versions that are remembered. */
const MOST_VERSIONS = 10_000;

/** Tells whether an object is an earlier state of another object of its kind. */
export function isOlder(a: KubernetesObject, b: KubernetesObject): boolean {
  return isOlderVersion(a.metadata.resourceVersion ?? "", b.metadata.resourceVersion ?? "");
}

/** Compares values of `resourceVersion`. In one kind, they are growing numbers without leading zeros. */
export function isOlderVersion(version: string, other: string): boolean {
  return version.length === other.length ? version < other : version.length < other.length;
}

/** Returns a text that changes only with the `spec` of an object, not with its labels, annotations or status. */
export function specVersionOf({ metadata: { uid = "", generation = 0 } }: KubernetesObject): string {
  return `${uid}/${generation}`;
}

/**
 * Remembers the `spec` of each `resourceVersion`.
 *
 * The controller writes the status of an object right after each change, which gives the object a new
 * `resourceVersion`. A client may name the version before it in `If-Match`. Since that version has the same `spec`, the
 * client's change isn't refused.
 */
export class SpecVersions {
  readonly #specs = new Map<string, string>();

  constructor(informers: readonly Pick<Informer, "onChange">[]) {
    for (const informer of informers) informer.onChange((object) => this.#remember(object));
  }

  /** Tells whether an object has the `spec` that it had at an earlier `resourceVersion`. */
  isSame(version: string, object: KubernetesObject): boolean {
    return version === object.metadata.resourceVersion || this.#specs.get(version) === specVersionOf(object);
  }

  #remember(object: KubernetesObject): void {
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) return;
    this.#specs.set(resourceVersion, specVersionOf(object));
    const [oldest] = this.#specs.keys();
    if (this.#specs.size > MOST_VERSIONS && oldest !== undefined) this.#specs.delete(oldest);
  }
}
