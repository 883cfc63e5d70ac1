import type { JsonObject } from "../../schema/node.ts";
import type { Answer } from "../answer.ts";
import type { AnsweredPlan, BindingPlan } from "./binding_plan.ts";
import { deletedParent } from "./answer_read.ts";
import { errorAnswer } from "./error_answer.ts";
import { itemAnswer } from "./item_answer.ts";
import { idScope, itemScope, scopeOf, SINGLETON_KEY } from "./item_place.ts";
import { locationOf } from "./location.ts";
import { type DraftItem, draftItem } from "./new_item.ts";
import { textOf, valueAt } from "./parts.ts";
import { listResponses, selectResponse } from "../select_response.ts";
import { sentItem } from "./sent_item.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";
import { writeJson } from "../../schema/json.ts";

/** Answers an operation that creates an item: stores the item and shows it. */
export async function answerCreate(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer | undefined> {
  const { resource } = plan.binding;
  const { state } = context;
  const missing = deletedParent(plan, context, request);
  if (missing !== undefined) return await missing;
  const sent = sentItem(plan, request);
  const scope = itemScope(resource, scopeOf(plan.binding, request), sent);
  const wanted = textOf(valueAt(sent, resource.id));
  const within = idScope(resource, scope);
  const isTaken = wanted !== undefined && resource.id.length > 0 &&
    state.get(resource.name, within, wanted) !== undefined;
  if (isTaken && (declaresConflict(plan) || isChosenByClient(plan))) {
    const detail = `${resource.name} has an item ${writeJson(wanted)} already.`;
    return await errorAnswer(plan, context, request, 409, detail);
  }
  const draft = draftItem(plan, context, isTaken ? withoutId(plan, sent) : sent, scope);
  if (draft === undefined) return undefined;
  if (resource.id.length > 0 && state.get(resource.name, within, draft.key) !== undefined) {
    const detail = `The schema of ${resource.name} allows no id that isn't taken.`;
    return await errorAnswer(plan, context, request, 409, detail);
  }
  return await storeNew(plan, context, request, draft, isTaken ? wanted : undefined);
}

/**
 * Stores a new item, and answers with it.
 *
 * @param taken The id that the client sent, if another item has it already.
 */
export async function storeNew(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
  { key, value, changed }: DraftItem,
  taken?: string,
): Promise<Answer> {
  const { resource } = plan.binding;
  // The parent is read from the stored value, since the schema may not allow the value that was sent.
  const scope = itemScope(resource, scopeOf(plan.binding, request), value);
  const item = context.state.put(resource.name, { key: resource.isSingleton ? SINGLETON_KEY : key, scope, value });
  const location = locationOf(plan, request, item);
  const remarks = [
    ...(taken === undefined ? [] : [`The id ${taken} is taken: the new item has the id ${key}.`]),
    ...(changed.length === 0
      ? []
      : [`The item's schema doesn't allow all that was sent; changed: ${changed.join(", ")}.`]),
  ];
  const accept = request.headers.get("accept");
  return await itemAnswer(plan, context, accept, item, {
    headers: location === undefined ? [] : [["location", location]],
    remarks,
    response: plan.created,
  });
}

function declaresConflict({ binding: { operation } }: BindingPlan): boolean {
  return listResponses(operation).some(([code]) => code === "409" || code.toUpperCase() === "4XX") &&
    selectResponse(operation, { code: 409 }).kind === "response";
}

/**
 * Whether clients choose the ids of a resource, as names or keys. A client that sends a taken id then gets 409. Ids of
 * another kind are replaced by a free id.
 */
function isChosenByClient({ binding: { resource } }: BindingPlan): boolean {
  const last = resource.id.at(-1) ?? "";
  return resource.id.length > 1 || /^(name|slug|key|login|username|code|title)$/i.test(last);
}

function withoutId({ binding: { resource } }: BindingPlan, sent: JsonObject): JsonObject {
  const [name] = resource.id;
  return Object.fromEntries(Object.entries(sent).filter(([key]) => key !== name));
}
