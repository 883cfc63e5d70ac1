/**
 * Numbers that look random and depend on nothing but where they are asked for: the same place of a body gets the same
 * value, whatever stands elsewhere in it.
 *
 * @module
 */

/** A number in [0, 1), another one at each call. */
export type Random = () => number;

/** The hash of a place inside another: 32 bits (FNV-1a). */
export function derive(hash: number, key: string | number): number {
  const text = String(key);
  let derived = hash ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++) derived = Math.imul(derived ^ text.charCodeAt(index), 0x01000193);
  return mix(derived);
}

/** A sequence of numbers that a hash stands for (mulberry32). */
export function createRandom(hash: number): Random {
  let state = hash | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) / 2 ** 32;
  };
}

/** Whether something happens that does with a probability from 0 to 1. */
export function happens(probability: number, hash: number): boolean {
  return probability > 0 && createRandom(hash)() < probability;
}

/** One of some values. */
export function pick<Value>(values: readonly [Value, ...Value[]], random: Random): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

/** A whole number from `least` to `most`. */
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
