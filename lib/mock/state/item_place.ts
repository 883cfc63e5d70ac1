import type { Binding, Resource } from "../infer/resource.ts";
import type { ScopePattern } from "./item.ts";
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
