import { isObject } from "../schema/node.ts";

/** Lists that others may add to: the items of ours are looked for among them. */
export const SHARED_LISTS: ReadonlySet<string> = new Set(["finalizers", "listeners", "ownerReferences"]);

/**
 * Whether an object of the cluster is as it was applied: each field that was applied has its value. What the API server
 * adds by itself, defaults and `status`, is not looked at.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const desired = { rules: [{ name: "mock" }] };
 * assert.ok(covers({ rules: [{ name: "mock", timeouts: {} }] }, desired));
 * assert.ok(!covers({ rules: [{ name: "mock" }, { name: "mine" }] }, desired));
 * ```
 */
export function covers(observed: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) {
    if (!Array.isArray(observed)) return desired.length === 0 && observed === undefined;
    return observed.length === desired.length && desired.every((item, index) => covers(observed[index], item));
  }
  if (isObject(desired)) {
    if (!isObject(observed)) return observed === undefined && Object.values(desired).every(isAbsent);
    return Object.entries(desired).every(([key, value]) =>
      SHARED_LISTS.has(key) ? includes(observed[key], value) : covers(observed[key], value)
    );
  }
  return Object.is(observed, desired) || (isAbsent(observed) && isAbsent(desired));
}

function includes(observed: unknown, desired: unknown): boolean {
  if (!Array.isArray(desired) || !Array.isArray(observed)) return covers(observed, desired);
  return desired.every((item) => observed.some((one) => covers(one, item)));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
