/** A budget of work for one task, in steps. Unlike a time limit, it ends a task at the same point on every machine. */
export interface Steps {
  left: number;
}

/** Thrown when a task has spent its budget in steps. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

/**
 * A budget of work for many tasks, such as matching texts with the patterns of one definition: each task may take some
 * steps, and all tasks together a number of further steps. So a few tasks may take many steps, but not all of them.
 */
export class SharedSteps {
  readonly #each: number;
  #shared: number;

  /** @param shared The steps that all tasks together may take beyond `each` of every task. */
  constructor({ each, shared }: { each: number; shared: number }) {
    this.#each = each;
    this.#shared = shared;
  }

  /** Takes the steps of one task, if so many are left. */
  take(count: number): boolean {
    const beyond = Math.max(0, count - this.#each);
    if (beyond > this.#shared) return false;
    this.#shared -= beyond;
    return true;
  }

  /**
   * Runs a task with the budget `steps`, which it sets.
   *
   * @param own Steps that the task may take beyond `each`, because of the size of its input.
   */
  run<Result>(steps: Steps, own: number, task: () => Result): Result {
    const free = this.#each + own;
    const allowed = free + this.#shared;
    steps.left = allowed;
    try {
      return task();
    } finally {
      this.#shared -= Math.min(this.#shared, Math.max(0, allowed - steps.left - free));
    }
  }
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
