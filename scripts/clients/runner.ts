import type { TestResult } from "./result.ts";

/** A client's tests, downloaded, ready to be run. */
export interface Runner {
  /**
   * Runs the tests.
   *
   * @param environment Leads them to a mock server.
   * @param sample What the test runner takes to run a part of them; nothing for all.
   * @throws {Error} If they don't run at all.
   */
  run(environment: Readonly<Record<string, string>>, sample: readonly string[]): Promise<TestResult[]>;
}
