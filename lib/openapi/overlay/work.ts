/** Thrown when overlays need more work than is allowed. */
export class TooMuchWork extends Error {
  override name = "TooMuchWork";
}

/** The steps that writing a value counts as. It costs memory for the value and for its origin. */
export const WRITE_STEPS = 20;

/** Bounds the work of applying overlays. */
export class Work {
  #left: number;

  /** @param steps Steps that are allowed. Visiting a node is one, writing a value is {@linkcode WRITE_STEPS}. */
  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws {TooMuchWork} If fewer steps are left than are to be taken. */
  take(steps = 1): void {
    if ((this.#left -= steps) < 0) throw new TooMuchWork("more steps than are allowed");
  }
}
