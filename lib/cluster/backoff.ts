/** Waits after failures of the same work, in milliseconds. */
export interface Backoff {
  first: number;
  most: number;
}

/** How long to wait before the next try, doubled with each failure; never more than `most`. */
export function waitAfter(failures: number, { first, most }: Backoff): number {
  return Math.min(most, first * 2 ** Math.min(failures - 1, 30));
}
