import type { Answer } from "../answer.ts";
import { storeNew } from "./answer_create.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import { changeItem } from "./change_item.ts";
import { errorAnswer } from "./error_answer.ts";
import { itemAnswer } from "./item_answer.ts";
import { keyOf, scopeOf } from "./item_place.ts";
import { draftItem } from "./new_item.ts";
import { sentItem } from "./sent_item.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/** Answers a replace, an update or an action: changes the item, and shows it. */
export async function answerChange(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer | undefined> {
  const { binding } = plan;
  // Until the item is written, nothing is awaited: other requests of the session would change it in between.
  const item = findItem(plan, context, request);
  const refused = refusedPrecondition(plan, context, request, item);
  if (refused !== undefined) return await refused;
  if (item === undefined) {
    const key = keyOf(binding, request);
    const scope = scopeOf(binding, request);
    if (!binding.createsMissing || key === undefined) return await unknownItem(plan, context, request);
    const whole = scope.map((value) => value ?? "");
    const draft = draftItem(plan, context, sentItem(plan, request), whole, key);
    return draft && await storeNew(plan, context, request, whole, draft);
  }
  const changed = changeItem(plan, context, request, item);
  if (changed.kind === "failed") {
    return await errorAnswer(plan, context, request, changed.status, changed.detail);
  }
  const { key = item.key } = changed;
  if (key !== item.key) {
    if (context.state.get(binding.resource.name, item.scope, key) !== undefined) {
      const detail = `${binding.resource.name} has an item ${JSON.stringify(key)} already.`;
      return await errorAnswer(plan, context, request, 409, detail);
    }
  }
  const stored = context.state.put(binding.resource.name, { key, scope: item.scope, value: changed.value });
  // Only now: a state without room for the new item keeps the old one.
  if (key !== item.key) context.state.delete(binding.resource.name, item.scope, item.key);
  return await itemAnswer(plan, context, request.headers.get("accept"), stored, { remarks: changed.remarks });
}
