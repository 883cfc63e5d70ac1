import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";

/** Retries a task with the latest item until the task succeeds. A later item replaces an earlier one. */
export interface Retrier<Item> {
  /** Tries the task with an item, at once. */
  readonly give: (item: Item) => void;
  /** Tries no more. */
  readonly close: () => void;
}

/** Milliseconds until the second try, and the most between two; each wait is twice as long as the one before. */
const WAITS: Backoff = { first: 500, most: 10_000 };

/**
 * Makes a retrier with exponential back-off. It runs one try at a time.
 *
 * @param task Works on an item; `false` means that it is worth another try. It doesn't reject.
 */
export function createRetrier<Item>(task: (item: Item) => Promise<boolean>): Retrier<Item> {
  let turn = 0;
  let wake = (): void => {};
  let last = Promise.resolve();
  return {
    give(item) {
      const mine = ++turn;
      wake();
      last = last.then(() => tryUntilDone(item, mine));
    },
    close() {
      turn++;
      wake();
    },
  };

  async function tryUntilDone(item: Item, mine: number): Promise<void> {
    for (let failures = 1; mine === turn && !await task(item); failures++) {
      if (mine !== turn) return;
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

/** Long work in steps, between which everything else of the process has its turn: timers, requests, answers. */
export interface Turns {
  /** Wait for this between two steps. Resolves at once unless the steps have taken long together. */
  next(): Promise<void> | undefined;
}

/** How long steps may take together before something else has its turn, in milliseconds. */
const SLICE = 10;

/** Makes turns for work that begins now, of one piece or of several at the same time. */
export function createTurns(): Turns {
  let since = performance.now();
  /** One pause for all pieces: with a pause for each, the slices of many pieces would follow one another. */
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
