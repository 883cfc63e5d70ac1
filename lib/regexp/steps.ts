/** A budget of work for one task, in steps. Unlike a time limit, it ends a task at the same point on every machine. */
export interface Steps {
  left: number;
}

/** Thrown when a task has spent its budget in steps. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

/**
 * Takes steps from a budget, before the work is done.
 *
 * @throws {OutOfSteps} If the budget has fewer steps left.
 */
export function spend(steps: Steps, count: number): void {
  if ((steps.left -= count) < 0) throw new OutOfSteps();
}

/**
 * Runs a task that may throw {@linkcode OutOfSteps}. A stack overflow counts too: a chain of 20,000 references causes
 * one.
 *
 * @param otherwise Gives the result if the budget is spent.
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
