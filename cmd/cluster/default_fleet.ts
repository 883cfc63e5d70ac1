import { isFleetObject } from "../../lib/cluster/convert.ts";
import type { ObjectName } from "../../lib/gateway/resource.ts";
import type { Informer } from "./informer.ts";

/** The default fleet if no fleet has `spec.default: true`. */
const FALLBACK_FLEET: ObjectName = { namespace: "default", name: "default" };

/**
 * Makes the function that returns the default fleet: the one with `spec.default: true`. If several fleets have it, the
 * oldest is the default.
 */
export function createDefaultFleet(fleets: Pick<Informer, "list">): () => ObjectName {
  let known: { list: ReturnType<Informer["list"]>; fleet: ObjectName } | undefined;
  return () => {
    const list = fleets.list();
    if (known?.list !== list) known = { list, fleet: find(list) };
    return known.fleet;
  };
}

function find(fleets: ReturnType<Informer["list"]>): ObjectName {
  const [first] = fleets
    .filter((fleet) =>
      isFleetObject(fleet) && fleet.spec.default === true && fleet.metadata.deletionTimestamp === undefined
    )
    .map(({ metadata: { namespace = "", name, creationTimestamp = "" } }) => ({ namespace, name, creationTimestamp }))
    .sort((a, b) =>
      compare(a.creationTimestamp, b.creationTimestamp) || compare(a.namespace, b.namespace) || compare(a.name, b.name)
    );
  return first === undefined ? FALLBACK_FLEET : { namespace: first.namespace, name: first.name };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
