/**
 * The bounds of what a relay reads of bodies, and of the time for which it holds them back.
 *
 * @module
 */
import type { BodyTap, Budget } from "./body_tap.ts";
import type { Queue } from "./queue.ts";

/** The largest body that is checked, in bytes, as it is sent and without its content coding. */
export const MOST_BODY = 10 * 1024 * 1024;

/** The memory that the copies of all bodies may take together, in bytes. */
export const MOST_COPIES = 64 * 1024 * 1024;

/** A body of a known length up to this, in bytes, is read before it goes on. */
export const SMALL_BODY = 64 * 1024;

/** Milliseconds for which a response waits for the end of its body in `warn` mode, so that its head tells the verdict. */
export const PATIENCE = { known: 1_000, unknown: 50 };

/** Milliseconds for which a body is held back in `error` mode; then it goes on unchecked. */
export const HOLD = { known: 60_000, unknown: 10_000 };

/** Measures a time in milliseconds. */
export type Timer = (milliseconds: number) => { readonly elapsed: Promise<void>; cancel(): void };

/** The resources of a relay. */
export interface Resources {
  readonly budget: Budget;
  /** Default: no time passes. */
  readonly timer: Timer | undefined;
  /** The coded bodies that wait to be decoded and checked. */
  readonly decoding: Queue;
}

/**
 * Holds a body back until its end, for a time, up to a size, and as long as the client is there.
 *
 * @returns Whether the whole body was read.
 */
export async function hold(
  tap: BodyTap,
  most: number,
  milliseconds: number,
  { timer }: Pick<Resources, "timer">,
  signal: AbortSignal,
): Promise<boolean> {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort);
  const timing = timer?.(milliseconds);
  void timing?.elapsed.then(resolve);
  try {
    return await tap.hold(most, release);
  } finally {
    timing?.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
