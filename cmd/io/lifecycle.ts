import type { Server } from "./listener.ts";
import { sleep } from "./sleep.ts";

/** The grace period for requests after a stop signal, in milliseconds. */
const GRACE = 10_000;

/**
 * Signals within this time of the first are the same signal, in milliseconds: that of a terminal arrives at each of its
 * processes, and those that started this one, such as npm, pass it on too.
 */
const SAME_SIGNAL = 250;

/**
 * Waits for a stop signal, shuts the server down, and resolves when its requests and its background work are done:
 * after ten seconds at the latest, or at a second signal. Work that is still under way then is lost.
 *
 * @param onStop Registers a listener for stop signals; returns a function that removes it.
 * @param background Work that continues after the responses, such as callbacks.
 * @param clock Tells a second signal from a repeated first one.
 */
export async function untilStopped(
  server: Server,
  onStop: (listener: () => void) => () => void,
  background: Pick<Background, "settled"> = createBackground(),
  clock: Pick<SystemClock, "now"> = SYSTEM_CLOCK,
): Promise<void> {
  const { promise: isCutOff, resolve: cutOff } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = 0;
  const forget = onStop(() => {
    if (timer !== undefined) return clock.now() - first < SAME_SIGNAL ? undefined : cutOff();
    first = clock.now();
    timer = setTimeout(cutOff, GRACE);
    server.shutdown();
  });
  await Promise.race([server.finished.then(background.settled), isCutOff]);
  clearTimeout(timer);
  forget();
}

/** How long a process continues to accept requests after a stop signal, in milliseconds. */
export interface DrainTimes {
  /** Stop when no request has arrived for this long. */
  readonly quiet: number;
  /** Stop after this long, even if requests still arrive. */
  readonly most: number;
}

/** Registers a listener for stop signals; returns a function that removes it. */
export type OnStop = (listener: () => void) => () => void;

/**
 * Drains a process after a stop signal. Proxies learn late of the stop, so the process accepts requests until none
 * arrive any more.
 */
export interface Drain {
  /** Whether the drain has begun. */
  readonly isEnding: boolean;
  /** Records that a request has arrived. */
  note(): void;
  /** Begins the drain; resolves when the process may stop. */
  begin(): Promise<void>;
}

export interface SystemClock {
  now(): number;
  wait(milliseconds: number): Promise<void>;
}

const SYSTEM_CLOCK: SystemClock = {
  now: () => performance.now(),
  wait: (milliseconds) => sleep(milliseconds),
};

export function createDrain({ quiet, most }: DrainTimes, clock = SYSTEM_CLOCK): Drain {
  let isEnding = false;
  let last = 0;
  return {
    get isEnding() {
      return isEnding;
    },
    note() {
      if (isEnding) last = clock.now();
    },
    async begin() {
      isEnding = true;
      last = clock.now();
      const end = last + most;
      for (;;) {
        const left = Math.min(last + quiet, end) - clock.now();
        if (left <= 0) return;
        await clock.wait(Math.ceil(left));
      }
    },
  };
}

/** Delays the first stop signal until the drain has ended. Later signals aren't delayed. */
export function afterDrain(onStop: OnStop, drain: Drain): OnStop {
  return (listener) => onStop(() => drain.isEnding ? listener() : void drain.begin().then(listener));
}

/** Work that continues after a response, such as callbacks. The process waits for it before it ends. */
export interface Background {
  /** Adds work, which must not reject. */
  add(work: Promise<void>): void;
  /** Resolves when all work is done, including work that is added meanwhile. */
  settled(): Promise<void>;
}

export function createBackground(): Background {
  const pending = new Set<Promise<void>>();
  return {
    add(work) {
      const done = work.finally(() => pending.delete(done));
      pending.add(done);
    },
    async settled() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}

/**
 * Keeps the process alive after unhandled errors and rejections.
 *
 * @param report Called with each such error.
 * @returns Restores the default.
 */
export function surviveErrors(report: (error: unknown) => void): () => void {
  const onRejection = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    report(event.reason);
  };
  const onError = (event: ErrorEvent): void => {
    event.preventDefault();
    report(event.error);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  return () => {
    globalThis.removeEventListener("unhandledrejection", onRejection);
    globalThis.removeEventListener("error", onError);
  };
}
