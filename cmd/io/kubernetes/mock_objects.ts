import type { KubernetesObject } from "../../../lib/gateway/kubernetes/object.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { fleetReferred, isApiObject } from "../../../lib/management/kubernetes/convert.ts";
import { isObject } from "../../../lib/openapi/node.ts";

/** What the controller says of an API as it is now; `open`, where it hasn't looked at it yet. */
export type Acceptance = "accepted" | "refused" | "open";

/** `shop/todo` */
export function keyOf({ metadata: { namespace = "", name } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}

/** Reads from the status of an API what the controller says of its present `spec`. */
export function acceptanceOf({ metadata: { generation }, status }: KubernetesObject): Acceptance {
  const conditions: unknown = isObject(status) ? status["conditions"] : undefined;
  if (!Array.isArray(conditions)) return "open";
  const accepted = conditions.find((condition) =>
    isObject(condition) && condition["type"] === "Accepted" && condition["observedGeneration"] === generation
  );
  if (accepted?.status === "True") return "accepted";
  return accepted?.status === "False" ? "refused" : "open";
}

/** The fleet that an API is on. */
export function fleetOf(object: KubernetesObject, defaultFleet: FleetRef): FleetRef {
  return isApiObject(object) ? fleetReferred(object, defaultFleet) : defaultFleet;
}

/** Sorts objects by age, the oldest first. */
export function ageOf(object: KubernetesObject): string {
  return `${object.metadata.creationTimestamp ?? ""} ${keyOf(object)}`;
}
