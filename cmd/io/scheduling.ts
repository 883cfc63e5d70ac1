import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";

/** Retries a task with the latest item until the task succeeds. A later item replaces an earlier one. */
export interface Retrier<Item> {
  /** Tries the task with an item: at once, or after the try under way. */
  readonly give: (item: Item) => void;
  /** Stops retrying. */
  readonly close: () => void;
}

/** Milliseconds until the second try, and the most between two; each wait is twice as long as the one before. */
const WAITS: Backoff = { first: 500, most: 10_000 };

/**
 * Makes a retrier with exponential back-off. It runs one try at a time.
 *
 * @param task Works on an item, and tells whether it is done; must not reject.
 */
export function createRetrier<Item>(task: (item: Item) => Promise<boolean>): Retrier<Item> {
  let turn = 0;
  let wake = (): void => {};
  let last = Promise.resolve();
  return {
    give(item) {
      const own = ++turn;
      wake();
      last = last.then(() => tryUntilDone(item, own));
    },
    close() {
      turn++;
      wake();
    },
  };

  async function tryUntilDone(item: Item, own: number): Promise<void> {
    for (let failures = 1; own === turn && !await task(item); failures++) {
      if (own !== turn) return;
      await pause(waitAfter(failures, WAITS));
    }
  }

  /** Waits; `wake` ends the wait early. */
  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Yields to the event loop between steps of long work, so that timers and requests aren't delayed. */
export interface Turns {
  /** Await this between two steps: a pause if the time slice is over, else `undefined`. */
  next(): Promise<void> | undefined;
}

/** The time slice of the steps between two pauses, in milliseconds. */
const SLICE = 10;

/** Creates turns for work that begins now; several pieces of work may share them. */
export function createTurns(): Turns {
  let since = performance.now();
  /** All pieces of work await the same pause. With pauses of their own, their time slices would run back to back. */
  let pause: Promise<void> | undefined;
  return {
    next() {
      if (pause !== undefined || performance.now() - since < SLICE) return pause;
      return pause = new Promise((resolve) =>
        setTimeout(() => {
          since = performance.now();
          pause = undefined;
          resolve();
        })
      );
    },
  };
}

/** Waits; a signal ends the wait early. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);

    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
