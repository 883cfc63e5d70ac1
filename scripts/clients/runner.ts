import type { TestResult } from "./result.ts";

/** The tests of a client, downloaded and ready to run. */
export interface Runner {
  /**
   * Runs the tests.
   *
   * @param environment Environment variables that make the tests use a mock server.
   * @param sample Arguments for the test runner that select some of the tests; empty for all.
   * @throws {Error} If the tests can't be run.
   */
  run(environment: Readonly<Record<string, string>>, sample: readonly string[]): Promise<TestResult[]>;
}
