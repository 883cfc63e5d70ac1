import type { Binding, Resource } from "../infer/resource.ts";
import type { Item, ScopePattern } from "./item.ts";
import { singularOf, wordsOf } from "../infer/words.ts";
import { textOf, valueAt } from "./parts.ts";
import type { StateRequest } from "./state_request.ts";

/** The key of a singleton's item, which has no id. */
export const SINGLETON_KEY = "";

/** The scope of a request: the ids of the parents in its path; `undefined` where the path has no such parameter. */
export function scopeOf(
  { scopeParameters }: Binding,
  { pathParameters }: Pick<StateRequest, "pathParameters">,
): ScopePattern {
  return scopeParameters.map((name) => name === undefined ? undefined : pathParameters[name]);
}

/**
 * The scope of an item: the ids of the parents in the request's path, else in properties of the item, such as `userId`.
 * An unknown id is empty.
 */
export function itemScope(binding: Binding, request: Pick<StateRequest, "pathParameters">, value: unknown): string[] {
  const inPath = scopeOf(binding, request);
  return binding.resource.scope.map(({ property }, index) =>
    inPath[index] ?? (property && textOf(valueAt(value, property))) ?? ""
  );
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
 * The scope within which ids must be unique. A parent is `undefined` (any) if an operation finds items without this
 * parent's id.
 */
export function idScope({ bindings }: Resource, scope: ScopePattern): ScopePattern {
  return scope.map((value, index) =>
    bindings.some(({ idParameter, scopeParameters }) =>
        idParameter !== undefined && scopeParameters[index] === undefined
      )
      ? undefined
      : value
  );
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
export function keyOf(
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
  return isSingleton ? `There is no ${noun}.` : `There is no ${noun} ${JSON.stringify(key)}.`;
}
