/** Thrown when overlays exceed their budget of work. */
export class TooMuchWork extends Error {
  override name = "TooMuchWork";
}

/** The steps for writing a value. Writing takes more than reading, since it stores the value and its origin. */
export const WRITE_STEPS = 20;

/** The budget of work for applying overlays. */
export class Work {
  #left: number;

  /** @param steps The budget. Visiting a node takes 1 step, writing a value takes {@linkcode WRITE_STEPS}. */
  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws {TooMuchWork} If fewer steps are left. */
  take(steps = 1): void {
    if ((this.#left -= steps) < 0) throw new TooMuchWork("more steps than are allowed");
  }
}
