import { admitsNamespace, notAdmitted } from "../../../lib/gateway/allowed_namespaces.ts";
import { type KubernetesObject, labelsOfKnown } from "../../../lib/cluster/object.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { isFleetObject } from "../../../lib/cluster/convert.ts";
import type { Observed } from "./contract.ts";

/** The namespaces that fleets admit, by `spec.allowedNamespaces` and the labels of the namespaces. */
export interface NamespaceAdmission {
  /**
   * Why a fleet doesn't admit a namespace, as a sentence; `undefined` when the fleet does. A fleet that doesn't exist
   * admits all namespaces: its absence is an error of its own.
   */
  refusalOf(fleet: FleetRef, namespace: string): string | undefined;
  /** Calls back when fleets may admit other namespaces than before. @returns A function that ends the subscription. */
  onChange(listener: () => void): () => void;
  /** Resolves when the labels of all namespaces are known. */
  readonly synced: Promise<void>;
}

/** The informers that admission depends on. */
export interface NamespaceAdmissionOptions {
  fleets: Pick<Observed, "get" | "onChange">;
  /** Default: namespaces have no labels. */
  namespaces?: Pick<Observed, "get" | "onChange" | "synced"> | undefined;
}

/** Finds the namespaces that fleets admit. */
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
        fleets.onChange(whenChanged(allowedByFleet, listener)),
        namespaces?.onChange(whenChanged(labelsOfKnown, listener)),
      ];
      return () => ends.forEach((end) => end?.());
    },
    synced: namespaces?.synced ?? Promise.resolve(),
  };
}

/** Calls a listener only for the events in which a part of an object has changed. */
function whenChanged(
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
