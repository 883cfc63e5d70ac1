/**
 * Who has written which field of an object, as the API server keeps it.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management}
 * @module
 */
import { isObject, type JsonObject } from "../schema/node.ts";
import { SHARED_LISTS } from "./covers.ts";
import type { KubernetesObject } from "./object.ts";

/**
 * The fields of `spec` that others own and a field manager doesn't: those that they have added, and those whose value they
 * have changed; all of it, where the manager has none of it. Defaults of the API server are nobody's. Whole items of lists that others may add to aren't told.
 *
 * @param manager The field manager whose object it is.
 * @returns Paths: `spec.extAuth.failOpen`
 */
export function foreignFields({ metadata: { managedFields } }: KubernetesObject, manager: string): string[] {
  const entries = specEntries(managedFields);
  const own = entries.filter((entry) => entry["manager"] === manager).map(specOf);
  // Somebody has wiped out who has written what.
  if (own.length === 0 && Array.isArray(managedFields)) return ["spec"];
  const others = entries.filter((entry) => entry["manager"] !== manager).map(specOf);
  return [...new Set(others.flatMap((fields) => leavesWithout(fields, own, "spec")))];
}

/** `managedFields` in which nobody but a field manager has anything of `spec`; what others own of the rest stays. */
export function withoutForeignFields(managedFields: unknown, manager: string): unknown[] {
  const entries = Array.isArray(managedFields) ? managedFields : [];
  const foreign = specEntries(entries).filter((entry) => entry["manager"] !== manager);
  return entries.flatMap((entry: unknown) => {
    if (!isObject(entry) || !foreign.includes(entry) || !isObject(entry["fieldsV1"])) return [entry];
    const { "f:spec": _spec, ...rest } = entry["fieldsV1"];
    return Object.keys(rest).length === 0 ? [] : [{ ...entry, fieldsV1: rest }];
  });
}

/** The entries about `spec`: not those of who writes `status`. */
function specEntries(managedFields: unknown): JsonObject[] {
  const entries = Array.isArray(managedFields) ? managedFields.filter(isObject) : [];
  return entries.filter((entry) =>
    (entry["subresource"] ?? "") === "" && isObject(entry["fieldsV1"]) && isObject(entry["fieldsV1"]["f:spec"])
  );
}

function specOf({ fieldsV1 }: JsonObject): JsonObject {
  const spec = isObject(fieldsV1) ? fieldsV1["f:spec"] : undefined;
  return isObject(spec) ? spec : {};
}

/**
 * The leaves of a set of fields that aren't in any of others. Its keys are `f:NAME`, `k:KEYS` of an item, `v:VALUE`,
 * `i:INDEX`, and `.` for the parent itself.
 */
function leavesWithout(fields: JsonObject, own: readonly JsonObject[], path: string): string[] {
  const list = path.slice(path.lastIndexOf(".") + 1);
  return Object.entries(fields).filter(([key]) => key !== ".").flatMap(([key, below]) => {
    const known = own.flatMap((one) => isObject(one[key]) ? [one[key]] : []);
    if (known.length === 0 && key.startsWith("k:") && SHARED_LISTS.has(list)) return [];
    const here = key.startsWith("f:") ? `${path}.${key.slice(2)}` : `${path}[${key.slice(2)}]`;
    const isLeaf = !isObject(below) || Object.keys(below).length === 0;
    if (isLeaf) return known.length === 0 ? [here] : [];
    return leavesWithout(below, known, here);
  });
}
