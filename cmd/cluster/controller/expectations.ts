import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** The longest wait for an expected plan, in milliseconds. */
const PATIENCE = 2_000;

/** Plans of definitions that this process has stored, and that the informers haven't shown yet. */
export class Expectations {
  readonly #expected = new Map<string, RoutePlan>();
  readonly #waiting = new Set<() => void>();

  add(key: string, plan: RoutePlan): void {
    this.#expected.set(key, plan);
  }

  /** The object of a key has been planned. */
  meet(key: string, plan: RoutePlan): void {
    if (this.#expected.get(key) === plan) this.#expected.delete(key);
  }

  /** Some objects have been planned; those who wait look again. */
  wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  /** Resolves when all expected plans were met, or too long didn't come: not stored after all, or changed since. */
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
