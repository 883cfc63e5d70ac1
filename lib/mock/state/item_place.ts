import type { Binding, Resource } from "../infer/resource.ts";
import type { ScopePattern } from "./item.ts";
import type { StateRequest } from "./state_request.ts";

/** The key of the item of a singleton. */
export const SINGLETON_KEY = "";

/** The scope that a request names; `undefined` for a parent's parameter that its path doesn't have. */
export function scopeOf(
  { scopeParameters }: Binding,
  { pathParameters }: Pick<StateRequest, "pathParameters">,
): ScopePattern {
  return scopeParameters.map((name) => name === undefined ? undefined : pathParameters[name]);
}

/** The key of the item that a request names; `undefined` where its path has no id. */
export function keyOf(
  { idParameter, resource }: Binding,
  { pathParameters }: Pick<StateRequest, "pathParameters">,
): string | undefined {
  if (resource.isSingleton) return SINGLETON_KEY;
  return idParameter === undefined ? undefined : pathParameters[idParameter];
}

/** The detail of the problem that there is no such item. */
export function noItemDetail({ name, isSingleton }: Resource, key: string): string {
  return isSingleton ? `${name} isn't there.` : `${name} has no item ${JSON.stringify(key)}.`;
}
