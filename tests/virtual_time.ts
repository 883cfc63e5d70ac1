/**
 * Replaces clocks and timers by virtual ones. A test that works in memory only thus spends no real time waiting.
 *
 * @module
 */
import { clearImmediate, setImmediate } from "node:timers";

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/**
 * Replaces `setTimeout`, `clearTimeout`, `performance.now` and `Date.now` until it is disposed of. The virtual clock
 * stands still while promises settle, and then jumps to the next timer. Timers that remain when the virtual time ends
 * never fire.
 *
 * The virtual clock doesn't wait for files, sockets or imports: a test must have loaded what it needs before.
 */
export function startVirtualTime(): Disposable {
  const real = { setTimeout, clearTimeout, performanceNow: performance.now, dateNow: Date.now };
  const start = { performance: performance.now(), date: Date.now() };
  /** The timers, in the order of their creation. */
  const timers = new Map<number, Timer>();
  let elapsed = 0;
  let count = 0;
  let turn: ReturnType<typeof setImmediate> | undefined;

  globalThis.setTimeout = Object.assign(
    (callback: (...args: unknown[]) => void, delay = 0, ...args: unknown[]): number => {
      timers.set(++count, { at: elapsed + Math.max(delay, 0), fire: () => callback(...args) });
      turn ??= setImmediate(fireNext);
      return count;
    },
    real.setTimeout,
  );
  globalThis.clearTimeout = (timer) => void timers.delete(Number(timer));
  performance.now = () => start.performance + elapsed;
  Date.now = () => start.date + Math.round(elapsed);

  return {
    [Symbol.dispose]() {
      clearImmediate(turn);
      globalThis.setTimeout = real.setTimeout;
      globalThis.clearTimeout = real.clearTimeout;
      performance.now = real.performanceNow;
      Date.now = real.dateNow;
    },
  };

  /** Fires one timer per turn of the event loop. What follows from it is done before the next timer fires. */
  function fireNext(): void {
    turn = undefined;
    const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at);
    if (next === undefined) return;
    const [number, { at, fire }] = next;
    timers.delete(number);
    elapsed = Math.max(elapsed, at);
    if (timers.size > 0) turn = setImmediate(fireNext);
    fire();
  }
}
