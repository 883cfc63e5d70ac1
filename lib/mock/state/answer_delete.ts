import type { Answer } from "../answer.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import type { Item } from "./item.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import { itemAnswer } from "./item_answer.ts";
import { levelOf, resourcesBelow } from "./items_below.ts";
import type { Resource } from "../infer/resource.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/**
 * Answers an operation that deletes an item: deletes the item and the items in scopes below it. A body of the response
 * shows the item before the deletion.
 */
export async function answerDelete(plan: AnsweredPlan, context: StateContext, request: StateRequest): Promise<Answer> {
  const item = findItem(plan, context, request);
  const refused = refusedPrecondition(plan, context, request, item);
  if (refused !== undefined) return await refused;
  if (item === undefined) return await unknownItem(plan, context, request);
  const answer = await itemAnswer(plan, context, request.headers.get("accept"), item);
  if (answer.source !== "state") return answer;
  // During the `await` for the answer, another request may have changed or deleted the item. Then begin again.
  if (findItem(plan, context, request)?.revision !== item.revision) return await answerDelete(plan, context, request);
  await deleteItem(context, plan.binding.resource, item);
  return answer;
}

async function deleteItem(context: StateContext, resource: Resource, item: Item): Promise<void> {
  const { state, answers: { resources: { all } } } = context;
  if (!state.delete(resource.name, item.scope, item.key)) return;
  for (const { resource: child, level, pattern } of resourcesBelow(all, resource, item)) {
    // The paths below `/orders/{orderId}` don't name the user whose orders are deleted.
    const hasOthersBelow = all.some((other) => levelOf(other, child) !== -1 && levelOf(other, resource) === -1);
    if (hasOthersBelow || pattern.slice(0, level).includes(undefined)) await state.prepare(child.name);
    if (hasOthersBelow) {
      for (const below of [...state.list(child.name, pattern)]) await deleteItem(context, child, below);
    }
    state.clear(child.name, pattern);
  }
}
