import { isNumber } from "./value.ts";
import { isObject, type JsonObject } from "./node.ts";
import { writeJson } from "./json.ts";

/** A key for a map or set of JSON values: equal values have equal keys, whatever the order of their members. */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join()}]`;
  if (!isObject(value)) return writeJson(value === 0 ? 0 : value) ?? "undefined";
  return `{${Object.keys(value).sort().map((key) => `${writeJson(key)}:${equalityKey(value[key])}`).join()}}`;
}

/** Tells whether two JSON values are equal (JSON Schema 2020-12, section 4.2.2). */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  // An integer may be a `bigint` by its text, and a `number` by computation. A `number` is written with the fewest digits
  // that tell it from others, and so may be read from these digits though its value differs.
  if (typeof left === "bigint" || typeof right === "bigint") {
    return isNumber(left) && isNumber(right) &&
      (String(left) === String(right) || !(left < right) && !(left > right));
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return Array.isArray(left) && Array.isArray(right) && left.length === right.length &&
      left.every((item, index) => isEqual(item, right[index]));
  }
  const [a, b] = [left as JsonObject, right as JsonObject];
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

/** Lists of at most this length are searched without a hash set. */
const FEW = 16;

/** Makes a test whether a list contains a value. A long list is hashed, so that the test takes constant time. */
export function membership(values: readonly unknown[]): (value: unknown) => boolean {
  if (values.length <= FEW) return (value) => values.some((other) => isEqual(value, other));
  const known = new Set(values.map(equalityKey));
  return (value) => known.has(equalityKey(value));
}
