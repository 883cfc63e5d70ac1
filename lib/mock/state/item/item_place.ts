import type { Binding, Resource } from "../../infer/resource.ts";
import type { Item, ScopePattern } from "./item.ts";
import { singularOf, wordsOf } from "../../../names/words.ts";
import { textOf } from "../../../schema/json/parts.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import type { StateRequest } from "../state_request.ts";
import { writeJson } from "../../../schema/json/json.ts";

/** The key of a singleton's item, which has no id. */
export const SINGLETON_KEY = "";

/** The scope of a request: the ids of the parents in its path; `undefined` where the path has no such parameter. */
export function requestScope(
  { scopeParameters }: Binding,
  { pathParameters }: Pick<StateRequest, "pathParameters">,
): ScopePattern {
  return scopeParameters.map((name) => name === undefined ? undefined : pathParameters[name]);
}

/**
 * The scope of an item: the known ids of its parents, such as those in a request's path, else the ids in properties of
 * the item, such as `userId`. An unknown id is empty.
 */
export function itemScope({ scope }: Resource, known: ScopePattern, value: unknown): string[] {
  return scope.map(({ property }, index) => known[index] ?? (property && textOf(valueAt(value, property))) ?? "");
}

/**
 * The scope of a changed item: an item whose `userId` changes belongs to another user. A parent in the request's path
 * stays.
 */
export function changedScope(
  { scopeParameters, resource }: Binding,
  { scope, value: before }: Pick<Item, "scope" | "value">,
  after: unknown,
): string[] {
  return scope.map((parent, index) => {
    const property = resource.scope[index]?.property;
    if (property === undefined || scopeParameters[index] !== undefined) return parent;
    const next = textOf(valueAt(after, property));
    return next === textOf(valueAt(before, property)) ? parent : next ?? "";
  });
}

/**
 * Whether every operation that finds an item by its id also needs the id of the parent at this position of the scope.
 * Otherwise ids are unique among all parents at this position.
 */
export function needsParent({ bindings }: Resource, position: number): boolean {
  return bindings.every(({ idParameter, scopeParameters }) =>
    idParameter === undefined || scopeParameters[position] !== undefined
  );
}

/** The scope within which ids must be unique. Parents that operations don't need are `undefined` (any). */
export function idScope(resource: Resource, scope: ScopePattern): ScopePattern {
  return scope.map((id, position) => needsParent(resource, position) ? id : undefined);
}

/**
 * The scope of another resource, such as the parent, of which a scope has the first values: `shared` of them. The others
 * are `undefined` (any): `/orders/{orderId}/lines` has no `userId` of the order.
 */
export function scopeAbove(other: Pick<Resource, "scope">, scope: ScopePattern, shared: number): ScopePattern {
  return other.scope.map((_, index) => index < shared ? scope[index] : undefined);
}

/**
 * The key of the item that a request names in its path or, as in `PUT /pet`, in its body; `undefined` if it names none.
 */
export function itemKey(
  { idParameter, resource, requestEnvelope }: Binding,
  { pathParameters, body }: Pick<StateRequest, "pathParameters" | "body">,
): string | undefined {
  if (resource.isSingleton) return SINGLETON_KEY;
  if (idParameter !== undefined) return pathParameters[idParameter];
  return requestEnvelope === undefined ? undefined : textOf(valueAt(body, [...requestEnvelope, ...resource.id]));
}

/** The message that an item doesn't exist: `There is no order "7".` for the resource `users.orders`. */
export function noItemDetail({ name, isSingleton }: Resource, key: string): string {
  const words = wordsOf(name.slice(name.lastIndexOf(".") + 1));
  const noun = [...words.slice(0, -1), singularOf(words.at(-1) ?? name)].join(" ");
  return isSingleton ? `There is no ${noun}.` : `There is no ${noun} ${writeJson(key)}.`;
}
