import { isEqual } from "../schema/equal.ts";
import { isObject, type JsonObject } from "../schema/node.ts";
import { SHARED_LISTS } from "./covers.ts";

/**
 * The merge patch (RFC 7396) that takes away what a value has beside the one that is wanted. Defaults go with it; the API
 * server puts them back.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const patch = restoringPatch({ http: { path: "/auth" }, failOpen: true }, { http: { path: "/auth" } });
 * assert.deepEqual(patch, { failOpen: null });
 * ```
 */
export function restoringPatch(observed: JsonObject, desired: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const [key, value] of Object.entries(observed)) {
    const wanted = desired[key];
    if (wanted === undefined) patch[key] = null;
    else if (isObject(value) && isObject(wanted)) {
      const below = restoringPatch(value, wanted);
      if (Object.keys(below).length > 0) patch[key] = below;
    } else if (!isEqual(value, wanted)) patch[key] = SHARED_LISTS.has(key) ? merge(value, wanted) : wanted;
  }
  for (const [key, value] of Object.entries(desired)) {
    if (!(key in observed) && value !== undefined) patch[key] = value;
  }
  return patch;
}

/** The items that are wanted, and those that others have added: they are told apart by name. */
function merge(observed: unknown, desired: unknown): unknown {
  if (!Array.isArray(observed) || !Array.isArray(desired)) return desired;
  const names = new Set(desired.filter(isObject).map(({ name }) => name));
  return [...desired, ...observed.filter((item) => isObject(item) && !names.has(item["name"]))];
}
