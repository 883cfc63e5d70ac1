import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { setOwn } from "../../../schema/json/own_property.ts";

/**
 * Applies a JSON Merge Patch (RFC 7396): objects are merged property by property, `null` removes a property, and any
 * other value replaces the old one.
 *
 * The recursion is as deep as the patch, whose depth the decoder of bodies limits.
 */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(value) ? { ...value } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete merged[key];
    else setOwn(merged, key, applyMergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, change));
  }
  return merged;
}

/** Replaces properties of an object, without merging inner objects. Unlike in a merge patch, `null` is a value. */
export function replaceProperties(value: unknown, changes: unknown): unknown {
  if (!isObject(changes)) return changes;
  const changed: JsonObject = isObject(value) ? { ...value } : {};
  for (const [key, change] of Object.entries(changes)) setOwn(changed, key, change);
  return changed;
}

/**
 * Applies the fields of a form, which can't contain `null`. Objects are merged property by property. In an inner
 * object, an empty text (`metadata[color]=`) removes a property.
 */
export function applyFormFields(value: unknown, fields: unknown, isInner = false): unknown {
  if (!isObject(fields)) return fields;
  const merged: JsonObject = isObject(value) ? { ...value } : {};
  for (const [key, change] of Object.entries(fields)) {
    if (isInner && change === "") delete merged[key];
    else setOwn(merged, key, applyFormFields(Object.hasOwn(merged, key) ? merged[key] : undefined, change, true));
  }
  return merged;
}
