import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { FleetRef } from "../../lib/gateway/route.ts";
import { fleetReferred, isApiObject } from "../../lib/cluster/convert.ts";

/** `shop/todo` */
export function keyOf({ metadata: { namespace = "", name } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}

/** The fleet that an API is on. */
export function fleetOf(object: KubernetesObject, defaultFleet: FleetRef): FleetRef {
  return isApiObject(object) ? fleetReferred(object, defaultFleet) : defaultFleet;
}

/** Sorts objects by age, the oldest first. */
export function ageOf(object: KubernetesObject): string {
  return `${object.metadata.creationTimestamp ?? ""} ${keyOf(object)}`;
}
