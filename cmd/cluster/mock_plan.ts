import type { checkDeployment } from "../../lib/gateway/check_deployment.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { type FleetRef, planRoutes, type RoutePlan } from "../../lib/gateway/route.ts";
import { definitionOf, isApiObject } from "../../lib/cluster/convert.ts";
import { locateDiagnostics } from "../../lib/openapi/diagnostic.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { messageOf } from "../../lib/http/message.ts";
import { acceptanceOf } from "./acceptance.ts";
import { keyOf } from "./mock_objects.ts";

/** An API, planned; or why it can't be. */
export type PlannedApi = { kind: "planned"; plan: RoutePlan } | { kind: "refused"; reason: string };

/**
 * Plans an API.
 *
 * @param check Finds why it can't be deployed, where that matters: nothing leads to what the controller refuses, but for
 * the routes of what was there before, which must go on as before then.
 */
export async function planApi(
  object: KubernetesObject,
  fleet: FleetRef,
  check: typeof checkDeployment | undefined,
): Promise<PlannedApi> {
  try {
    if (!isApiObject(object)) return { kind: "refused", reason: "It has no `spec`." };
    const { namespace = "", name } = object.metadata;
    const document = await parseDocument(await definitionOf(object), { uri: keyOf(object) });
    // What the controller has found to be fine isn't checked again.
    const isChecked = check === undefined || acceptanceOf(object) === "accepted";
    const diagnostics = isChecked ? document.unlocatedDiagnostics : await check(document, { oauth2: true });
    const errors = locateDiagnostics(diagnostics.filter(({ severity }) => severity === "error"));
    const [first] = errors;
    if (first === undefined) return { kind: "planned", plan: planRoutes({ namespace, name, fleet, document }) };
    const others = errors.length === 1 ? "" : ` And ${errors.length - 1} more.`;
    return { kind: "refused", reason: `${first.line}:${first.column}: ${first.message}${others}` };
  } catch (error) {
    return { kind: "refused", reason: messageOf(error) };
  }
}
