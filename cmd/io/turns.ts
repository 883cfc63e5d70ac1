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
