import type { Answer } from "../answer.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import type { Item } from "./item.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import { itemAnswer } from "./item_answer.ts";
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

async function deleteItem({ state, answers }: StateContext, resource: Resource, item: Item): Promise<void> {
  state.delete(resource.name, item.scope, item.key);
  for (const child of answers.resources.all) {
    // The scope of a child item is the parent's scope, the parent's id, and the ids of any parents in between.
    const level = child.scope.findIndex(({ parent }) => parent === resource);
    if (level === -1) continue;
    const pattern = child.scope.map(({ parameter }, index) =>
      index === level
        ? item.key
        : index < level && (level === item.scope.length || parameter === resource.scope[index]?.parameter)
        ? item.scope[index]
        : undefined
    );
    if (pattern.slice(0, level).includes(undefined)) await state.prepare(child.name);
    state.clear(child.name, pattern);
  }
}
