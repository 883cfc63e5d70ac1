/**
 * The seeded random source. Its numbers depend on a hash only, and the hash of a value only on the path to the value: a
 * value doesn't depend on the rest of the body.
 *
 * @module
 */

/** Returns the next number from 0 up to, but without, 1. */
export type Random = () => number;

/** Extends a hash by a key, such as the name of a property: 32 bits (FNV-1a). */
export function hashWith(hash: number, key: string | number): number {
  const text = String(key);
  let combined = hash ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++) combined = Math.imul(combined ^ text.charCodeAt(index), 0x01000193);
  return mix(combined);
}

/** The sequence of random numbers with a hash as its seed (mulberry32). */
export function createRandom(hash: number): Random {
  let state = hash | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) / 2 ** 32;
  };
}

/** Decides by a hash whether an event of a probability from 0 to 1 happens. */
export function happens(probability: number, hash: number): boolean {
  return probability > 0 && createRandom(hash)() < probability;
}

/** Selects one of some values at random. */
export function pick<Value>(values: readonly [Value, ...Value[]], random: Random): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

/** A random whole number from `least` to `most`. */
export function integer(least: number, most: number, random: Random): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Spreads the bits of a number (the finalizer of MurmurHash3). */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
