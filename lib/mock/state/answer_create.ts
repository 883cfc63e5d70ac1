import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Answer } from "../answer/answer.ts";
import type { AnsweredPlan, BindingPlan } from "./binding_plan.ts";
import { deletedParent } from "./answer_read.ts";
import { createdAnswer } from "./item/created_items.ts";
import { errorAnswer } from "./error_answer.ts";
import type { Item } from "./item/item.ts";
import { idScope, itemScope, requestScope, SINGLETON_KEY } from "./item/item_place.ts";
import { locationOf } from "./location.ts";
import { type DraftItem, draftItem } from "./item/new_item.ts";
import { textOf } from "../../schema/json/parts.ts";
import { valueAt } from "../../schema/json/pointer.ts";
import { listResponses, selectResponse } from "../answer/select_response.ts";
import { fitValue } from "./item/fit_value.ts";
import { acceptedFields, sentItem } from "./item/sent_item.ts";
import { stampChanged } from "./item/stamps.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";
import { writeJson } from "../../schema/json/json.ts";

/** Limit of the items that one request creates. */
const MOST_CREATED = 1_000;

/** Answers an operation that creates an item, or each item of a list: stores the items and shows them. */
export async function answerCreate(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer | undefined> {
  const missing = deletedParent(plan, context, request);
  if (missing !== undefined) return await missing;
  const { requestEnvelope } = plan.binding;
  const list = plan.takesList && requestEnvelope !== undefined ? valueAt(request.body, requestEnvelope) : undefined;
  const isList = Array.isArray(list);
  const sent = isList ? list.map((item) => isObject(item) ? item : {}) : [sentItem(plan, request)];
  if (sent.length > MOST_CREATED) {
    return await errorAnswer(plan, context, request, 413, `A request creates at most ${MOST_CREATED} items.`);
  }
  const made: Created[] = [];
  // There is no `await` between reading and writing the state. If one item can't be created, none is.
  const before = isList ? context.state.snapshot() : undefined;
  let failed: Failure | undefined;
  try {
    for (const item of sent) {
      const created = createOne(plan, context, request, item);
      if (!("item" in created)) {
        failed = created;
        break;
      }
      made.push(created);
    }
    if (failed !== undefined && before !== undefined) context.state.restore(before);
  } catch (error) {
    if (before !== undefined) context.state.restore(before);
    throw error;
  } finally {
    if (before !== undefined) context.state.drop(before);
  }
  if (failed !== undefined) {
    return failed.detail === undefined ? undefined : await errorAnswer(plan, context, request, 409, failed.detail);
  }
  return await answerCreated(plan, context, request, made, isList);
}

/** A created item, with remarks about the values that were changed. */
interface Created {
  readonly item: Item;
  readonly remarks: readonly string[];
}

/** Why no item was created: the conflict, or nothing if the schema allows no object. */
interface Failure {
  readonly detail: string | undefined;
}

function createOne(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
  sent: JsonObject,
): Created | Failure {
  const { resource } = plan.binding;
  const { state } = context;
  const scope = itemScope(resource, requestScope(plan.binding, request), sent);
  const existing = existingItem(plan, context, scope, sent);
  if (existing !== undefined) {
    return {
      item: plan.existing?.outcome === "updated" ? updated(plan, context, existing, sent) : existing,
      remarks: [],
    };
  }
  const wanted = textOf(valueAt(sent, resource.id));
  const within = idScope(resource, scope);
  const isTaken = wanted !== undefined && resource.id.length > 0 &&
    state.get(resource.name, within, wanted) !== undefined;
  const hasConflict = declaresConflict(plan);
  if (isTaken && (hasConflict || isChosenByClient(plan))) {
    return { detail: `${resource.name} has an item ${writeJson(wanted)} already.` };
  }
  const shared = hasConflict ? plan.uniqueFields.find((name) => isShared(plan, context, scope, sent, name)) : undefined;
  if (shared !== undefined) {
    return { detail: `${resource.name} has an item with the ${shared} ${writeJson(sent[shared])} already.` };
  }
  const draft = draftItem(plan, context, isTaken ? withoutId(plan, sent) : sent, scope);
  if (draft === undefined) return { detail: undefined };
  if (resource.id.length > 0 && state.get(resource.name, within, draft.key) !== undefined) {
    return { detail: `The schema of ${resource.name} allows no id that isn't taken.` };
  }
  return store(plan, context, request, draft, isTaken ? wanted : undefined);
}

/** The item with the values by which the create's description says that it finds an existing one. */
function existingItem(
  { existing, binding: { resource } }: BindingPlan,
  { state }: StateContext,
  scope: readonly string[],
  sent: JsonObject,
): Item | undefined {
  const [first, ...others] = existing?.fields ?? [];
  const text = first === undefined ? undefined : textOf(sent[first]);
  if (first === undefined || text === undefined) return undefined;
  for (const item of state.find(resource.name, scope, [first], text)) {
    const isSame = others.every((name) => sent[name] !== undefined && textOf(sent[name]) === textOf(item.value[name]));
    if (isSame) return item;
  }
  return undefined;
}

/** Stores the sent fields in an existing item, as far as its schema allows them. */
function updated(plan: BindingPlan, context: StateContext, item: Item, sent: JsonObject): Item {
  const { item: schema, binding: { resource } } = plan;
  const accepted = acceptedFields(plan, withoutId(plan, sent));
  const wanted = stampChanged({ ...item.value, ...accepted }, item.value, accepted, schema.hints, context);
  const { value, isValid } = fitValue(wanted, (index) => index === 0 ? item.value : undefined, schema);
  if (!isValid || !isObject(value)) return item;
  return context.state.put(resource.name, { key: item.key, scope: item.scope, value });
}

/** Whether an item below the same parents has the value that a request sends for a field. */
function isShared(
  { binding: { resource } }: BindingPlan,
  { state }: StateContext,
  scope: readonly string[],
  sent: JsonObject,
  name: string,
): boolean {
  const text = textOf(sent[name]);
  if (text === undefined) return false;
  for (const _ of state.find(resource.name, scope, [name], text)) return true;
  return false;
}

/** Stores a new item, and answers with it. */
export async function storeNew(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
  draft: DraftItem,
): Promise<Answer> {
  return await answerCreated(plan, context, request, [store(plan, context, request, draft)], false);
}

/** @param taken The id that the client sent, if another item has it already. */
function store(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
  { key, value, changed }: DraftItem,
  taken?: string,
): Created {
  const { resource } = plan.binding;
  // The parent is read from the stored value, since the schema may not allow the value that was sent.
  const scope = itemScope(resource, requestScope(plan.binding, request), value);
  const item = context.state.put(resource.name, { key: resource.isSingleton ? SINGLETON_KEY : key, scope, value });
  const remarks = [
    ...(taken === undefined ? [] : [`The id ${taken} is taken: the new item has the id ${key}.`]),
    ...(changed.length === 0
      ? []
      : [`The item's schema doesn't allow all that was sent; changed: ${changed.join(", ")}.`]),
  ];
  return { item, remarks };
}

async function answerCreated(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
  made: readonly Created[],
  isList: boolean,
): Promise<Answer> {
  const items = made.map(({ item }) => item);
  const [only, ...more] = items;
  const location = only === undefined || more.length > 0 ? undefined : locationOf(plan, request, only);
  return await createdAnswer(plan, context, request.headers.get("accept"), items, isList, {
    headers: location === undefined ? [] : [["location", location]],
    remarks: [...new Set(made.flatMap(({ remarks }) => remarks))],
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
