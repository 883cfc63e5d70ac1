import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** The longest wait for an expected plan, in milliseconds. */
const PATIENCE = 2_000;

/**
 * Plans of definitions that this process has just stored. They are expected until an informer shows the stored object
 * and it is planned, so that the management API can wait for its own writes.
 */
export class Expectations {
  readonly #expected = new Map<string, RoutePlan>();
  readonly #waiting = new Set<() => void>();

  add(key: string, plan: RoutePlan): void {
    this.#expected.set(key, plan);
  }

  /** Call it when the object of a key was planned: the plan is no longer expected if it is the expected one. */
  meet(key: string, plan: RoutePlan): void {
    if (this.#expected.get(key) === plan) this.#expected.delete(key);
  }

  /** Call it when objects were planned, so that calls of {@linkcode wait} check again. */
  wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  /**
   * Resolves when all expected plans were made, or after {@linkcode PATIENCE}: a definition may not have been stored
   * after all, or was changed since.
   */
  async wait(): Promise<void> {
    const end = performance.now() + PATIENCE;
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
