/** An exponential back-off, in milliseconds. */
export interface Backoff {
  /** The delay after the first failure. */
  readonly first: number;
  /** The longest delay. */
  readonly most: number;
}

/**
 * Computes the delay before the next try: the first delay, doubled with each further failure, up to the longest delay.
 *
 * @param failures How many tries have failed in a row, from 1.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const waits = [1, 2, 3, 100].map((failures) => waitAfter(failures, { first: 500, most: 1_500 }));
 * assert.deepEqual(waits, [500, 1_000, 1_500, 1_500]);
 * ```
 */
export function waitAfter(failures: number, { first, most }: Backoff): number {
  return Math.min(most, first * 2 ** Math.min(failures - 1, 30));
}
