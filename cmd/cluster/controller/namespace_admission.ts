import { admitsNamespace, notAdmitted } from "../../../lib/gateway/allowed_namespaces.ts";
import { type KubernetesObject, labelsOfKnown } from "../../../lib/cluster/object.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { isFleetObject } from "../../../lib/cluster/convert.ts";
import type { Observed } from "./contract.ts";

/** Tells which namespaces fleets admit, by `spec.allowedNamespaces` of the fleet and the labels of the namespace. */
export interface NamespaceAdmission {
  /**
   * Returns the reason why a fleet doesn't admit a namespace, as a sentence; `undefined` if it does. A fleet that
   * doesn't exist refuses no namespace, because its absence is reported by itself.
   */
  refusalOf(fleet: FleetRef, namespace: string): string | undefined;
  /**
   * Calls a listener when fleets may admit other namespaces than before.
   *
   * @returns A function that ends the subscription.
   */
  onChange(listener: () => void): () => void;
  /** Resolves when the labels of all namespaces have been listed. */
  readonly synced: Promise<void>;
}

/** The informers of fleets and namespaces. */
export interface NamespaceAdmissionOptions {
  fleets: Pick<Observed, "get" | "onChange">;
  /** The informer of namespaces. Default: namespaces have no labels. */
  namespaces?: Pick<Observed, "get" | "onChange" | "synced"> | undefined;
}

export function createNamespaceAdmission({ fleets, namespaces }: NamespaceAdmissionOptions): NamespaceAdmission {
  return {
    refusalOf(fleet, namespace) {
      const known = fleets.get(fleet.namespace, fleet.name);
      if (known === undefined || !isFleetObject(known)) return undefined;
      const { allowedNamespaces } = known.spec;
      const labels = labelsOfKnown(namespaces?.get("", namespace));
      return admitsNamespace(allowedNamespaces, fleet.namespace, { name: namespace, labels })
        ? undefined
        : notAdmitted(fleet, allowedNamespaces, namespace);
    },
    onChange(listener) {
      const ends = [
        fleets.onChange(ifPartChanged(allowedByFleet, listener)),
        namespaces?.onChange(ifPartChanged(labelsOfKnown, listener)),
      ];
      return () => ends.forEach((end) => end?.());
    },
    synced: namespaces?.synced ?? Promise.resolve(),
  };
}

/** Makes a listener that is called only if a part of the object has changed. */
function ifPartChanged(
  partOf: (object: KubernetesObject) => unknown,
  listener: () => void,
): (object: KubernetesObject, kind: "set" | "deleted") => void {
  const known = new Map<string, string>();
  return (object, kind) => {
    const { namespace = "", name } = object.metadata;
    const key = qualifiedName({ namespace, name });
    const before = known.get(key);
    const part = kind === "deleted" ? undefined : JSON.stringify(partOf(object)) ?? "";
    if (part === undefined) known.delete(key);
    else known.set(key, part);
    if (part !== before) listener();
  };
}

function allowedByFleet({ spec }: KubernetesObject): unknown {
  return Object(spec).allowedNamespaces;
}
