import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { CUSTOM_RESOURCES } from "../../lib/cluster/custom_resource.ts";
import type { RoutePlan } from "../../lib/gateway/route.ts";
import type { GatewayResourceKind } from "../../lib/gateway/resource.ts";
import type { KubeClient } from "./client.ts";
import type { Informer } from "./informer.ts";
import { specVersionOf } from "./resource_version.ts";

/** Options of {@linkcode isCurrentPlan}. */
export interface CurrentPlanOptions {
  client: Pick<KubeClient, "get">;
  resources: Readonly<Record<GatewayResourceKind, Pick<Informer, "get">>>;
}

/**
 * Tells whether the API or static route of a plan still exists with the `spec` that the informer has. Asks the API
 * server, because the informer may not have received a deletion yet. If the API server can't be asked, the informer
 * counts.
 */
export async function isCurrentPlan(plan: RoutePlan, { client, resources }: CurrentPlanOptions): Promise<boolean> {
  const kind = plan.kind === "api" ? "api" : "staticroute";
  const known = resources[kind].get(plan.namespace, plan.name);
  if (known === undefined) return false;
  let present: KubernetesObject | undefined;
  try {
    present = await client.get(CUSTOM_RESOURCES[kind], plan.namespace, plan.name);
  } catch {
    return true;
  }
  return present !== undefined && present.metadata.deletionTimestamp === undefined &&
    specVersionOf(present) === specVersionOf(known);
}
