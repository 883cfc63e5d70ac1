/**
 * Hashes that are stable over restarts and versions of gw. They are parts of names, distribute paths over HTTPRoutes,
 * and tell whether somebody else has changed a `spec` that gw wrote. They aren't cryptographic.
 *
 * @module
 */

import { writeJson } from "../schema/json.ts";
import { isObject } from "../schema/node.ts";

/** Hashes a text to 32 bits: FNV-1a, and the finalizer of MurmurHash3, by which every bit depends on the whole text. */
export function hashOf(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Hashes a JSON value to 16 hexadecimal digits. The order of keys doesn't matter. */
export function fingerprintOf(value: unknown): string {
  const text = sortedJson(value);
  return hex(hashOf(text)) + hex(hashOf(text, 0x9747b28c));
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

function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}
