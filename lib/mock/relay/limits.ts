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

/** Bodies up to this size, in bytes, are read before they go on, even where violations don't refuse them. */
export const SMALL_BODY = 64 * 1024;

/**
 * Milliseconds for which `warn` mode delays a response of known or unknown length: if its body ends within this time,
 * the headers can tell the violations of the body too.
 */
export const PATIENCE = { known: 1_000, unknown: 50 };

/**
 * Milliseconds for which `error` mode holds back a body of known or unknown length. After that the body goes on, and
 * its violations can't refuse it any more.
 */
export const HOLD = { known: 60_000, unknown: 10_000 };

/** Starts a timer; `elapsed` resolves when the milliseconds have passed. */
export type Timer = (milliseconds: number) => { readonly elapsed: Promise<void>; cancel(): void };

/** The resources of a relay. */
export interface Resources {
  readonly budget: Budget;
  /** Without a timer, `error` mode holds bodies back without a time limit, and `warn` mode holds back no responses. */
  readonly timer: Timer | undefined;
  /** The queue of bodies that wait for the decoding of their content coding and for their check. */
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
