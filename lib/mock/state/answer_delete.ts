import type { Answer } from "../answer/answer.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import { type Item, scopeKey } from "./item/item.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import { itemAnswer } from "./item_answer.ts";
import { levelOf, resourcesBelow } from "./item/items_below.ts";
import type { Resource } from "../infer/resource.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";
import type { Deletion, State } from "./store/store.ts";

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
  const { state, answers: { resources: { all } } } = context;
  const { resource } = plan.binding;
  await Promise.all([...listedBelow(all, resource)].map(({ name }) => state.prepare(name)));
  // During an `await`, another request may have changed or deleted the item. Then begin again.
  if (findItem(plan, context, request)?.revision !== item.revision) return await answerDelete(plan, context, request);
  state.deleteAll(deletionsOf(all, state, resource, item));
  return answer;
}

/** The resources below a resource whose items, or whose scopes, are listed for a deletion. */
function listedBelow(
  all: readonly Resource[],
  resource: Resource,
  listed: Set<Resource> = new Set(),
): ReadonlySet<Resource> {
  const anyItem = { scope: resource.scope.map(({ parameter }) => parameter), key: "" };
  for (const { resource: child, level, pattern } of resourcesBelow(all, resource, anyItem)) {
    const isListed = hasOthersBelow(all, resource, child) || pattern.slice(0, level).includes(undefined);
    if (!isListed || listed.has(child)) continue;
    listed.add(child);
    listedBelow(all, child, listed);
  }
  return listed;
}

/**
 * Whether resources are below a child, but not below the parent itself. The paths below `/orders/{orderId}` don't name
 * the user whose orders are deleted.
 */
function hasOthersBelow(all: readonly Resource[], parent: Resource, child: Resource): boolean {
  return all.some((other) => levelOf(other, child) !== -1 && levelOf(other, parent) === -1);
}

/** The deletions of an item and of the items below it, in this order. */
function deletionsOf(all: readonly Resource[], state: State, resource: Resource, item: Item): Deletion[] {
  const deletions: Deletion[] = [];
  const seen = new Set<string>();
  addDeletions(resource, item);
  return deletions;

  function addDeletions(resource: Resource, item: Item): void {
    const id = scopeKey([resource.name, ...item.scope, item.key]);
    if (seen.has(id)) return;
    seen.add(id);
    deletions.push({ kind: "item", resource: resource.name, item });
    for (const { resource: child, pattern } of resourcesBelow(all, resource, item)) {
      if (hasOthersBelow(all, resource, child)) {
        for (const below of state.list(child.name, pattern)) addDeletions(child, below);
      }
      deletions.push({ kind: "clear", resource: child.name, pattern });
    }
  }
}
