import { isObject, type JsonObject } from "../../schema/node.ts";
import type { BindingPlan } from "./binding_plan.ts";
import { valueAt } from "./parts.ts";
import type { StateRequest } from "./state_context.ts";

/** The item in the body of a request; empty where the body has none. */
export function sentItem({ binding: { requestEnvelope = [] } }: BindingPlan, { body }: StateRequest): JsonObject {
  const sent = valueAt(body, requestEnvelope);
  return isObject(sent) ? sent : {};
}
