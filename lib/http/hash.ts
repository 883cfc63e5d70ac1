/**
 * Hashes of texts that are stable over restarts and versions of gw. They aren't cryptographic.
 *
 * @module
 */

/** The seed of FNV-1a. */
export const OFFSET = 0x811c9dc5;

/** Hashes the code units of a text to 32 bits, signed: FNV-1a. Different seeds give independent hashes. */
export function fnv1a(text: string, seed: number = OFFSET): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** Hashes a text to 32 bits: FNV-1a, and the finalizer of MurmurHash3, by which every bit depends on the whole text. */
export function hashOf(text: string, seed: number = OFFSET): number {
  let hash = fnv1a(text, seed);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Hashes a text to 16 hexadecimal digits: with 64 bits, two states of a resource are unlikely to get the same hash. */
export function longHashOf(text: string): string {
  return hex(hashOf(text)) + hex(hashOf(text, 0x9747b28c));
}

/** A number of 32 bits as eight hexadecimal digits. */
export function hex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, "0");
}
