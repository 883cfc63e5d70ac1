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

  /** Call it when the object of a key was planned. If the plan is the expected one, it is no longer expected. */
  meet(key: string, plan: RoutePlan): void {
    if (this.#expected.get(key) === plan) this.#expected.delete(key);
  }

  /** Call it when objects were planned, so that calls of {@linkcode wait} check again. */
  wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  /**
   * Resolves when no plan is expected any more, at the latest after {@linkcode PATIENCE}. Some expected plans are never
   * made, because their definition was not stored after all, or was changed since.
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
