/**
 * Type declarations of the hooks of Vitest that the adapters use.
 *
 * @module
 */
export { afterAll, beforeAll } from "./hooks.d.ts";

/** What Vitest tells a hook about its test, as far as it is used. */
export interface TestContext {
  /** The test: the same object in all hooks. Its mode becomes `skip` when it has skipped itself. */
  readonly task: { readonly mode: string };
  /** Runs a function when the test is over, even if a hook fails. */
  readonly onTestFinished?: (run: () => void) => void;
}

/** Runs a function before each test of a file or a `describe` block. */
export declare function beforeEach(run: (context: TestContext) => void): void;

/** Runs a function after each test of a file or a `describe` block. */
export declare function afterEach(run: (context: TestContext) => void): void;
