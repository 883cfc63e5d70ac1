/**
 * Limits of how much of a body a relay reads, and how long it holds bodies back.
 *
 * @module
 */
import type { BodyLimits } from "../../http/limits/body_limits.ts";
import type { MemoryBudget } from "../../http/limits/memory_budget.ts";
import type { BodyTap } from "./body_tap.ts";
import type { Queue } from "./queue.ts";

/** The largest body that is checked, in bytes. It applies before and after the content coding is decoded. */
export const MOST_RELAYED_BODY = 10 * 1024 * 1024;

/** The most bytes that the copies of all bodies may take together. */
export const MOST_COPIES = 16 * 1024 * 1024;

/** The largest body, in bytes, that is read before it is passed on in `warn` mode, where violations refuse nothing. */
export const SMALL_BODY = 64 * 1024;

/**
 * The most milliseconds for which `warn` mode delays a response, depending on whether its length is known. If the body
 * ends within that time, the response's headers can report violations of the body, too.
 */
export const HOLD_IN_WARN_MODE = { known: 1_000, unknown: 50 };

/**
 * The most milliseconds for which `error` mode holds a body back, depending on whether its length is known. After that
 * time, the body is passed on, and its violations can't refuse it any more.
 */
export const HOLD_IN_ERROR_MODE = { known: 60_000, unknown: 10_000 };

/** Starts a timer. `elapsed` resolves when the milliseconds have passed. */
export type Timer = (milliseconds: number) => { readonly elapsed: Promise<void>; cancel(): void };

/** What all exchanges of a relay share. */
export interface RelayResources {
  readonly budget: MemoryBudget;
  /** Without a timer, `error` mode holds bodies back without a time limit, and `warn` mode holds back no responses. */
  readonly timer: Timer | undefined;
  /** What the bodies of all requests may take. Small ones are read whole, within `budget`. */
  readonly bodies: BodyLimits | undefined;
  /** The queue in which bodies with a content coding are decoded and checked, one at a time. */
  readonly decoding: Queue;
}

/**
 * Holds a body back until it ends, the time has passed, it has more than `most` bytes, or the client disconnects.
 *
 * @returns Whether the whole body was read.
 */
export async function hold(
  tap: BodyTap,
  most: number,
  milliseconds: number,
  { timer }: Pick<RelayResources, "timer">,
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
