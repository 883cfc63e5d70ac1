import type { Server } from "./listener.ts";

/** Longest that what is under way may take to finish, in milliseconds. */
const GRACE = 10_000;

/**
 * Resolves when a server was told to stop, and has finished what was under way, its background included; or at the latest
 * after ten seconds, or when it is told again. What is then still under way ends with the process.
 *
 * @param onStop Calls back each time somebody tells the process to stop; gives a function that ends this.
 * @param background What requests leave behind.
 */
export async function untilStopped(
  server: Server,
  onStop: (listener: () => void) => () => void,
  background: Pick<Background, "settled"> = createBackground(),
): Promise<void> {
  const { promise: lostPatience, resolve: losePatience } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = onStop(() => {
    if (timer !== undefined) return losePatience();
    timer = setTimeout(losePatience, GRACE);
    server.shutdown();
  });
  await Promise.race([server.finished.then(background.settled), lostPatience]);
  clearTimeout(timer);
  forget();
}

/** How long a process that is told to stop goes on accepting requests, in milliseconds. */
export interface DrainTimes {
  /** For so long no request must have come. */
  readonly quiet: number;
  /** It stops after so long, whatever comes. */
  readonly most: number;
}

/** Calls back each time somebody tells the process to stop; gives a function that ends this. */
export type OnStop = (listener: () => void) => () => void;

/** Lets a process that is told to stop go on until nobody sends it requests any more: proxies learn of it late. */
export interface Drain {
  /** Whether it is told to stop. */
  readonly isEnding: boolean;
  /** Takes note of a request. */
  note(): void;
  /** Begins when the process is told to stop; resolves when it may. */
  begin(): Promise<void>;
}

/** Makes what waits until a process may stop. */
export function createDrain({ quiet, most }: DrainTimes): Drain {
  let isEnding = false;
  let last = 0;
  return {
    get isEnding() {
      return isEnding;
    },
    note() {
      if (isEnding) last = performance.now();
    },
    async begin() {
      isEnding = true;
      last = performance.now();
      const end = last + most;
      for (;;) {
        const left = Math.min(last + quiet, end) - performance.now();
        if (left <= 0) return;
        await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)));
      }
    },
  };
}

/** Tells of a stop when a drain has ended, and of each further one at once. */
export function afterDrain(onStop: OnStop, drain: Drain): OnStop {
  return (listener) => onStop(() => drain.isEnding ? listener() : void drain.begin().then(listener));
}

/** Work that goes on after an answer was given, and that the program waits for when it ends. */
export interface Background {
  /** Adds work. It must not fail. */
  add(work: Promise<void>): void;
  /** Resolves when there is none left, also of what was added meanwhile. */
  settled(): Promise<void>;
}

/** Makes a place for work that nobody waits for before the end. */
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
 * Keeps the process alive when something fails that nobody waits for.
 *
 * @param report Told of each such error.
 * @returns Ends this.
 */
export function surviveFaults(report: (error: unknown) => void): () => void {
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
