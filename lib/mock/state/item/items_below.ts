/**
 * The items below an item, such as `/users/{userId}/orders/{orderId}/lines` below an order.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import type { Resource } from "../../infer/resource.ts";
import type { Item, ScopePattern } from "./item.ts";
import { textOf, withPart } from "../../../schema/json/parts.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import type { State } from "../store/store.ts";
import { isNumber } from "../../../schema/json/value.ts";
import { exactInteger } from "../../../schema/json/json.ts";

/** A resource whose items are below a parent. */
export interface ResourceBelow {
  readonly resource: Resource;
  /** The position of the parent's id in the scope of the resource. */
  readonly level: number;
  /** The scopes below the parent. */
  readonly pattern: ScopePattern;
}

/** The position of a parent in the scope of a resource; -1 if it isn't a parent. */
export function levelOf({ scope }: Resource, parent: Resource): number {
  return scope.findIndex((parameter) => parameter.parent === parent);
}

/** The resources below an item. */
export function resourcesBelow(
  all: readonly Resource[],
  parent: Resource,
  { scope, key }: Pick<Item, "scope" | "key">,
): ResourceBelow[] {
  return all.flatMap((resource) => {
    const level = levelOf(resource, parent);
    if (level === -1) return [];
    // The scope of an item below is the parent's scope, the parent's id, and the ids of any parents in between.
    const pattern = resource.scope.map(({ parameter }, index) =>
      index === level
        ? key
        : index < level && (level === scope.length || parameter === parent.scope[index]?.parameter)
        ? scope[index]
        : undefined
    );
    return [{ resource, level, pattern }];
  });
}

/** The items of a resource that have another scope after their parent got a new id or parent of its own. */
export interface MoveBelow {
  readonly resource: Resource;
  readonly from: ScopePattern;
  readonly to: ScopePattern;
}

/** The moves of the items below an item, from its old place to its new one. */
export function movesBelow(
  all: readonly Resource[],
  parent: Resource,
  from: Pick<Item, "scope" | "key">,
  to: Pick<Item, "scope" | "key">,
): MoveBelow[] {
  const after = resourcesBelow(all, parent, to);
  return resourcesBelow(all, parent, from).flatMap(({ resource, pattern }, index) => {
    const next = after[index]?.pattern ?? [];
    return pattern.every((value, at) => value === next[at]) ? [] : [{ resource, from: pattern, to: next }];
  });
}

/** Moves items with their parent. The resource must be prepared. */
export function moveBelow(state: State, { resource, from, to }: MoveBelow): void {
  for (const { key, scope, value } of [...state.list(resource.name, from)]) {
    const next = scope.map((id, index) => to[index] ?? id);
    state.put(resource.name, { key, scope: next, value: withScope(value, resource, next) });
  }
  state.clear(resource.name, from);
}

/** Replaces the ids of parents in an item, such as `userId`. They keep their type. */
function withScope(value: JsonObject, { scope }: Resource, ids: readonly string[]): JsonObject {
  let changed: unknown = value;
  for (const [index, { property }] of scope.entries()) {
    const old = property && valueAt(value, property);
    const id = ids[index] ?? "";
    if (property === undefined || textOf(old) === undefined || textOf(old) === id) continue;
    changed = withPart(changed, property, isNumber(old) ? asNumber(id) : id);
  }
  return isObject(changed) ? changed : value;
}

/** The number that an id stands for; the id itself if it isn't written as that number is. */
function asNumber(id: string): string | number | bigint {
  const number = exactInteger(id) ?? Number(id);
  return String(number) === id ? number : id;
}
