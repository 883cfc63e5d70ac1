import type { Answer } from "../answer.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import type { Item } from "./item.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import { itemAnswer } from "./item_answer.ts";
import type { Resource } from "../infer/resource.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/** Answers a delete: removes the item and the items below it. A response with a body shows the item as it was. */
export async function answerDelete(plan: AnsweredPlan, context: StateContext, request: StateRequest): Promise<Answer> {
  const item = findItem(plan, context, request);
  const refused = refusedPrecondition(plan, context, request, item);
  if (refused !== undefined) return await refused;
  if (item === undefined) return await unknownItem(plan, context, request);
  const answer = await itemAnswer(plan, context, request.headers.get("accept"), item);
  if (answer.source !== "state") return answer;
  // Another request of the session may have changed the item in the meantime, or deleted it.
  if (findItem(plan, context, request)?.revision !== item.revision) return await answerDelete(plan, context, request);
  await deleteItem(context, plan.binding.resource, item);
  return answer;
}

/** Deletes an item, and the items of the resources whose parent it is. */
async function deleteItem({ state, answers }: StateContext, resource: Resource, item: Item): Promise<void> {
  state.delete(resource.name, item.scope, item.key);
  for (const child of answers.resources.all) {
    // A child's scope is that of its parent, then the parent's id, then those of parents in between.
    const level = child.scope.findIndex(({ parent }) => parent === resource);
    if (level === -1) continue;
    const pattern = child.scope.map((_, index) =>
      index === level ? item.key : index < level && level === item.scope.length ? item.scope[index] : undefined
    );
    if (pattern.slice(0, level).includes(undefined)) await state.prepare(child.name);
    state.clear(child.name, pattern);
  }
}
