/**
 * Seeded random numbers. The seed of a value is a hash of the path to the value, so a value doesn't depend on the rest
 * of the body.
 *
 * @module
 */

import { fnv1a, OFFSET } from "../../http/hash.ts";

/** Returns the next random number, at least 0 and less than 1. */
export type Random = () => number;

/** Extends a 32-bit hash by a key, such as the name of a property (FNV-1a). */
export function hashWith(hash: number, key: string | number): number {
  return mix(fnv1a(String(key), hash ^ OFFSET));
}

/** Creates a random number generator with a hash as its seed (mulberry32). */
export function createRandom(hash: number): Random {
  let state = hash | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) / 2 ** 32;
  };
}

/** Whether an event with the given probability (from 0 to 1) happens. The hash is the seed. */
export function happens(probability: number, hash: number): boolean {
  return probability > 0 && createRandom(hash)() < probability;
}

export function pick<Value>(values: readonly [Value, ...Value[]], random: Random): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

/** A random integer from `least` to `most`, both included. */
export function randomInteger(least: number, most: number, random: Random): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Mixes the bits of a hash (the finalizer of MurmurHash3). */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
