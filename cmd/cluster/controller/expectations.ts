import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** The longest time to wait for expected plans, in milliseconds. */
const EXPECTATION_TIMEOUT = 2_000;

/**
 * The plans of definitions that this process has just stored. A plan is expected until an informer has shown the stored
 * object and the planner has planned it. So the management API can wait until its own write is planned.
 */
export class Expectations {
  readonly #expected = new Map<string, RoutePlan>();
  readonly #waiting = new Set<() => void>();

  add(key: string, plan: RoutePlan): void {
    this.#expected.set(key, plan);
  }

  /** Removes an expected plan, after the planner has made the plan of its API or static route. */
  meet(key: string, plan: RoutePlan): void {
    if (this.#expected.get(key) === plan) this.#expected.delete(key);
  }

  /** Makes each call of `wait` check again, after the planner has planned objects. */
  wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  /**
   * Resolves when no plan is expected, at the latest after {@linkcode EXPECTATION_TIMEOUT}. An expected plan is never
   * made if its definition wasn't stored after all, or was changed in the meantime.
   */
  async wait(): Promise<void> {
    const end = performance.now() + EXPECTATION_TIMEOUT;
    while (this.#expected.size > 0 && performance.now() < end) await this.#nextChange(end - performance.now());
    this.#expected.clear();
  }

  #nextChange(most: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, most);
      this.#waiting.add(done);
    });
  }
}
