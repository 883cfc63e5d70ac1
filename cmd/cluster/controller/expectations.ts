import type { ExpectedPlan } from "./judge.ts";

/** Plans that this process has stored itself, and has not observed yet. */
export interface Expectations {
  add(key: string, plan: ExpectedPlan): void;
  get(key: string): ExpectedPlan | undefined;
  /** One has come. */
  meet(key: string): void;
  /** Something has been planned, which may be what is waited for. */
  wake(): void;
  /** Waits until all have come, and no longer than one waits for that. */
  wait(): Promise<void>;
}

/** How long an expected plan is waited for, in milliseconds. */
const PATIENCE = 2_000;

/** Makes a list of expectations. */
export function createExpectations(): Expectations {
  const expected = new Map<string, ExpectedPlan>();
  const waiting = new Set<() => void>();
  return {
    add: (key, plan) => void expected.set(key, plan),
    get: (key) => expected.get(key),
    meet: (key) => void expected.delete(key),
    wake() {
      for (const done of [...waiting]) done();
    },
    async wait() {
      const end = performance.now() + PATIENCE;
      while (expected.size > 0 && performance.now() < end) await nextChange(end - performance.now());
      // What was not stored after all, or by another replica first.
      expected.clear();
    },
  };

  function nextChange(most: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, most);
      waiting.add(done);
    });
  }
}
