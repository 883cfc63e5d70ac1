/** The work that is left for one task, in steps: unlike time, the same on every machine and at every try. */
export interface Steps {
  left: number;
}

/** A task has taken more steps than it may. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

/**
 * Takes steps for work that is about to be done.
 *
 * @throws {OutOfSteps} If there are not as many left.
 */
export function spend(steps: Steps, count: number): void {
  if ((steps.left -= count) < 0) throw new OutOfSteps();
}

/**
 * Runs a task that may run out of steps. A stack overflow counts as running out of steps: a chain of 20,000 references
 * causes one.
 *
 * @param otherwise Gives the result if the task runs out of steps.
 */
export function withinSteps<Result>(task: () => Result, otherwise: () => Result): Result {
  try {
    return task();
  } catch (error) {
    if (error instanceof OutOfSteps || isStackOverflow(error)) return otherwise();
    throw error;
  }
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}
