/** Thrown when overlays need more work than is allowed. */
export class TooMuchWork extends Error {
  override name = "TooMuchWork";
}

/** Steps of writing a value: it costs memory, and its origin is remembered. */
export const WRITE_STEPS = 20;

/** Bounds the work of applying overlays. */
export class Work {
  #left: number;

  /** @param steps Steps that are allowed: a node that a query visits is one, and so is a value that is written. */
  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws {TooMuchWork} If fewer steps are left. */
  take(steps = 1): void {
    if ((this.#left -= steps) < 0) throw new TooMuchWork("more steps than are allowed");
  }
}
