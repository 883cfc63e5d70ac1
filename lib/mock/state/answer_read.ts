import type { Answer } from "../answer/answer.ts";
import { buildAnswer } from "../answer/build_answer.ts";
import { isSamePath } from "../infer/id_property.ts";
import type { AnsweredPlan, BindingPlan } from "./binding_plan.ts";
import { errorAnswer } from "./error_answer.ts";
import { checkPreconditions, etagOf, type Precondition } from "./etag.ts";
import { itemAnswer } from "./item_answer.ts";
import type { Item } from "./item/item.ts";
import type { UsedItem } from "./item/relations.ts";
import { itemKey, noItemDetail, requestScope, scopeAbove } from "./item/item_place.ts";
import { textOf } from "../../schema/json/parts.ts";
import { valueAt } from "../../schema/json/pointer.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/** The cached answer of an operation that reads an item, if the item hasn't changed since. */
export function cachedRead(plan: BindingPlan, context: StateContext, request: StateRequest): Answer | undefined {
  const { headers } = request;
  if (plan.etag !== undefined && (headers.get("if-match") ?? headers.get("if-none-match")) !== null) return undefined;
  const item = findItem(plan, context, request);
  return item && plan.answers.get(item, headers.get("accept"), context.seed, context.state);
}

export async function answerRead(plan: AnsweredPlan, context: StateContext, request: StateRequest): Promise<Answer> {
  const item = findItem(plan, context, request);
  const refused = refusedPrecondition(plan, context, request, item);
  if (refused !== undefined) return await refused;
  if (item === undefined) return await unknownItem(plan, context, request);
  const accept = request.headers.get("accept");
  const known = plan.answers.get(item, accept, context.seed, context.state);
  if (known !== undefined) return known;
  const used: UsedItem[] = [];
  const answer = await itemAnswer(plan, context, accept, item, { used });
  if (answer.source === "state") plan.answers.set(item, accept, context.seed, answer, used);
  return answer;
}

/** The item that the path or body of a request names; `undefined` if it doesn't exist. */
export function findItem(
  { binding, upsertFields }: BindingPlan,
  { state }: StateContext,
  request: Pick<StateRequest, "pathParameters" | "body">,
): Item | undefined {
  const { keys, isNewest, resource: { name, id } } = binding;
  const scope = requestScope(binding, request);
  if (isNewest === true) return newestOf(state.list(name, scope));
  const key = itemKey(binding, request);
  if (key === undefined) {
    for (const field of upsertFields) {
      const text = textOf(valueAt(request.body, [...binding.requestEnvelope ?? [], field]));
      const item = text === undefined ? undefined : newestOf(state.find(name, scope, [field], text));
      if (item !== undefined) return item;
    }
    return undefined;
  }
  if (keys === undefined) return state.get(name, scope, key);
  for (const path of keys) {
    const item = isSamePath(path, id) ? state.get(name, scope, key) : newestOf(state.find(name, scope, path, key));
    if (item !== undefined) return item;
  }
  return undefined;
}

function newestOf(items: Iterable<Item>): Item | undefined {
  let newest: Item | undefined;
  for (const item of items) newest = item;
  return newest;
}

export function unknownItem(plan: BindingPlan, context: StateContext, request: StateRequest): Promise<Answer> {
  const { binding } = plan;
  const detail = noItemDetail(
    binding.resource,
    itemKey(binding, request) ?? (binding.isNewest === true ? "latest" : ""),
  );
  return errorAnswer(plan, context, request, 404, detail);
}

/**
 * The 404 for a request to items below a deleted parent; `undefined` for other requests. A parent that never existed
 * causes no 404, since tests rarely create all parents of the item that they test.
 */
export function deletedParent(
  plan: BindingPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer> | undefined {
  const { binding } = plan;
  const scope = requestScope(binding, request);
  for (const [level, { parent }] of binding.resource.scope.entries()) {
    const key = scope[level];
    if (parent === undefined || key === undefined) continue;
    const above = scopeAbove(parent, scope, level);
    const { state } = context;
    // A parent that moved is among the deleted items of its old scope. `get()` finds it in the new one.
    if (!state.wasDeleted(parent.name, above, key) || state.get(parent.name, above, key) !== undefined) continue;
    return errorAnswer(plan, context, request, 404, noItemDetail(parent, key));
  }
  return undefined;
}

/**
 * The 304, 412 or 428 for a request whose preconditions (RFC 9110, section 13) are false; `undefined` for other
 * requests.
 */
export function refusedPrecondition(
  plan: BindingPlan,
  context: StateContext,
  request: StateRequest,
  item: Item | undefined,
): Answer | Promise<Answer> | undefined {
  const outcome: Precondition = plan.etag === undefined ? "met" : checkPreconditions(plan.etag, request, item);
  if (outcome === "met") return undefined;
  const headers: [string, string][] = item === undefined ? [] : [["etag", etagOf(item)]];
  if (outcome === 304) {
    const { answers: { handlers }, seed } = context;
    const { operation } = plan.binding;
    return buildAnswer({ operation, status: 304, content: { kind: "empty" }, headers, seed }, handlers.generatorOf);
  }
  const detail = outcome === 428
    ? "The request must have If-Match with the ETag of the item that it changes."
    : "The item isn't as the request's condition wants it: its ETag is another.";
  return errorAnswer(plan, context, request, outcome, detail, headers);
}
