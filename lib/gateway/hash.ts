/**
 * Hashes that stay the same over time: names and places of objects follow from them. They guard nothing.
 *
 * @module
 */

import { isObject } from "../schema/node.ts";

/** A whole number of 32 bits for a text, each bit of which depends on the whole text (FNV-1a, mixed as MurmurHash3 does). */
export function hashOf(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** 16 hexadecimal digits for a value of JSON, whatever the order of its keys. */
export function fingerprintOf(value: unknown): string {
  const text = canonical(value);
  return hex(hashOf(text)) + hex(hashOf(text, 0x9747b28c));
}

/** A few digits that tell values apart within one API: so many that thousands of them are all different. */
export function shortHash(value: unknown): string {
  return fingerprintOf(value).slice(0, 12);
}

/** JSON with the keys of each object in the order of the alphabet. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value).sort().filter((key) => value[key] !== undefined);
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}
