import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { isObject } from "../../lib/schema/node.ts";

/** What the controller says of an API as it is now; `open`, where it hasn't looked at it yet. */
export type Acceptance = "accepted" | "refused" | "open";

/** Reads from the status of an API or a static route what the controller says of its present `spec`. */
export function acceptanceOf({ metadata: { generation }, status }: KubernetesObject): Acceptance {
  const conditions: unknown = isObject(status) ? status["conditions"] : undefined;
  if (!Array.isArray(conditions)) return "open";
  const accepted = conditions.find((condition) =>
    isObject(condition) && condition["type"] === "Accepted" && condition["observedGeneration"] === generation
  );
  if (accepted?.status === "True") return "accepted";
  return accepted?.status === "False" ? "refused" : "open";
}
