import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";

/** Runs a task with an item until the task succeeds. A new item replaces the one before. */
export interface Retrier<Item> {
  /** Runs the task with an item: at once, or after the attempt under way. */
  readonly give: (item: Item) => void;
  /** Ends the attempts. */
  readonly close: () => void;
}

/** Milliseconds between attempts. The pause doubles from `first` to `most`. */
const WAITS: Backoff = { first: 500, most: 10_000 };

/**
 * Makes a retrier with exponential back-off. Attempts never overlap.
 *
 * @param task Tries to process an item, and tells whether that succeeded; must not reject.
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

  /** Waits. A call of `wake` ends the pause early. */
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

/** Lets timers and requests go first between the steps of long work. */
export interface Turns {
  /** Call this between two steps, and await the result if there is one: the time slice is over. */
  next(): Promise<void> | undefined;
}

/** The length of a time slice, in milliseconds. */
const SLICE = 10;

/** Creates the turns of work that begins now. Several pieces of work may share them. */
export function createTurns(): Turns {
  let since = performance.now();
  /**
   * All pieces of work await the same pause. With a pause each, one would run during the pause of the other, and the
   * event loop would be blocked.
   */
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
