import { isObject, type JsonObject } from "../../schema/node.ts";
import type { BindingPlan } from "./binding_plan.ts";
import { valueAt } from "./parts.ts";
import type { StateRequest } from "./state_request.ts";

/**
 * The item in the body of a request or, for an operation without a request body, in its query. Empty if there is none.
 */
export function sentItem(
  { binding: { requestEnvelope }, queryFields }: BindingPlan,
  request: StateRequest,
): JsonObject {
  if (requestEnvelope === undefined) return queryFields(request);
  const sent = valueAt(request.body, requestEnvelope);
  return isObject(sent) ? sent : {};
}
