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

/**
 * Answers an operation that replaces or updates an item, or acts on it (`POST /orders/{id}/cancel`): changes the item
 * and shows it.
 */
export async function answerChange(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer | undefined> {
  const { binding } = plan;
  // There is no `await` between reading and writing the item. Otherwise another request could change the item in
  // between.
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
  // The item gets a new id: store it first, delete it under the old id last. If the new one exceeds the limits of the
  // state, `put()` throws, and the old one remains.
  if (key !== item.key) context.state.delete(binding.resource.name, item.scope, item.key);
  return await itemAnswer(plan, context, request.headers.get("accept"), stored, { remarks: changed.remarks });
}
