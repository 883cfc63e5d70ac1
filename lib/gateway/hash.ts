/**
 * Hashes of JSON values: parts of names, and what tells whether somebody else has changed a `spec` that gw wrote.
 *
 * @module
 */

import { longHashOf } from "../http/hash.ts";
import { writeJson } from "../schema/json/json.ts";
import { isObject } from "../schema/json/node.ts";

/** Hashes a JSON value to 16 hexadecimal digits. The order of keys doesn't matter. */
export function fingerprintOf(value: unknown): string {
  return longHashOf(sortedJson(value));
}

/** Hashes a JSON value to 12 hexadecimal digits, enough to tell the thousands of values of one API apart. */
export function shortHash(value: unknown): string {
  return fingerprintOf(value).slice(0, 12);
}

/** Writes a value as JSON with sorted keys, so that equal values have equal texts. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item ?? null)).join()}]`;
  if (!isObject(value)) return writeJson(value) ?? "null";
  const fields = Object.keys(value).sort().filter((key) => value[key] !== undefined);
  return `{${fields.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`).join()}}`;
}
