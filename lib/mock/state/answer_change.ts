import type { Answer } from "../answer/answer.ts";
import { storeNew } from "./answer_create.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import { changeItem } from "./item/change_item.ts";
import { errorAnswer } from "./error_answer.ts";
import { itemAnswer } from "./item_answer.ts";
import { moveBelow, movesBelow } from "./item/items_below.ts";
import { scopeKey } from "./item/item.ts";
import { changedScope, idScope, itemKey, itemScope, requestScope } from "./item/item_place.ts";
import { draftItem } from "./item/new_item.ts";
import { sentItem } from "./item/sent_item.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";
import { writeJson } from "../../schema/json/json.ts";

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
  const { resource } = binding;
  const { state } = context;
  // There is no `await` between reading and writing the item. Otherwise another request could change the item in
  // between.
  const item = findItem(plan, context, request);
  const refused = refusedPrecondition(plan, context, request, item);
  if (refused !== undefined) return await refused;
  if (item === undefined) {
    const key = itemKey(binding, request);
    // A PUT of a collection needs no id: the server chooses it.
    const isNameless = key === undefined && binding.idParameter === undefined;
    if (!binding.createsMissing || key === undefined && !isNameless) return await unknownItem(plan, context, request);
    const sent = sentItem(plan, request);
    const scope = itemScope(resource, requestScope(binding, request), sent);
    // The item of another parent has this id.
    const isTaken = key !== undefined && state.get(resource.name, idScope(resource, scope), key) !== undefined;
    if (isTaken) return await unknownItem(plan, context, request);
    const draft = draftItem(plan, context, sent, scope, key);
    return draft && await storeNew(plan, context, request, draft);
  }
  const changed = changeItem(plan, context, request, item);
  if (changed.kind === "failed") {
    return await errorAnswer(plan, context, request, changed.status, changed.detail);
  }
  const { key = item.key } = changed;
  const scope = changedScope(binding, item, changed.value);
  const isRenamed = key !== item.key;
  const isMoved = isRenamed || scopeKey(scope) !== scopeKey(item.scope);
  if (isMoved && state.get(resource.name, isRenamed ? idScope(resource, scope) : scope, key) !== undefined) {
    const detail = `${resource.name} has an item ${writeJson(key)} already.`;
    return await errorAnswer(plan, context, request, 409, detail);
  }
  const next = { key, scope, value: changed.value };
  const moves = isMoved ? movesBelow(context.answers.resources.all, resource, item, next) : [];
  const preparing = moves.flatMap(({ resource: { name } }) => state.prepare(name) ?? []);
  if (preparing.length > 0) {
    // Meanwhile another request may change the item. Then begin again.
    await Promise.all(preparing);
    return await answerChange(plan, context, request);
  }
  let stored = item;
  const store = (): void => {
    stored = state.put(resource.name, next);
    for (const move of moves) moveBelow(state, move);
    // The item gets a new id or parent: delete the old one last. If `put()` throws, since the new one exceeds the limits
    // of the state, the old one remains.
    if (isMoved) state.delete(resource.name, item.scope, item.key);
  };
  if (moves.length === 0) store();
  else state.attempt(store);
  return await itemAnswer(plan, context, request.headers.get("accept"), stored, { remarks: changed.remarks });
}
