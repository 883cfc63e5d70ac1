/**
 * Limits how many bodies are sent to upstreams fast at the same time. The server reads ahead of a client that sends
 * fast, up to some 256 KiB, and keeps that memory until the body has ended. A body of which nothing was read takes no
 * memory of this process, so any number of them can wait.
 *
 * @module
 */
import { LONGEST_TIMER } from "../../../lib/http/timer.ts";

/** The most fast uploads at a time. The others wait. Uploads of slow clients and of short bodies don't count. */
export const MOST_FAST = 32;

/** Ends a fast upload. Further calls have no effect. */
export type Leave = () => void;

let running = 0;
/** The uploads that wait, in their order. */
const waiting = new Set<() => void>();

/**
 * Waits until a fast upload may go on.
 *
 * @param timeout The most milliseconds to wait; 0 for no limit.
 * @param signal Aborts when nobody needs the upload any more.
 * @returns A function that ends the upload; `undefined` if it may not go on in time.
 */
export function enterFast(timeout: number, signal: AbortSignal): Leave | Promise<Leave | undefined> {
  if (running < MOST_FAST) return enter();
  return new Promise((resolve) => {
    const timer = setTimeout(giveUp, timeout === 0 ? LONGEST_TIMER : timeout);
    signal.addEventListener("abort", giveUp);
    waiting.add(goOn);

    function goOn(): void {
      settle(enter());
    }

    function giveUp(): void {
      settle(undefined);
    }

    function settle(leave: Leave | undefined): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      waiting.delete(goOn);
      resolve(leave);
    }
  });
}

function enter(): Leave {
  running++;
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    running--;
    const [next] = waiting;
    next?.();
  };
}
