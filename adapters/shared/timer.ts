/** A time for `setTimeout`, which takes a time over 2^31 - 1 ms for 1. */
export function timerOf(milliseconds: number): number {
  return Math.min(milliseconds, 2 ** 31 - 1);
}
