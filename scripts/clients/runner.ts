import type { TestResult } from "./result.ts";

/** The downloaded tests of a client. */
export interface Runner {
  /**
   * Runs the tests.
   *
   * @param environment Environment variables that make the tests use a mock server.
   * @param sample Arguments of the test runner that select a part of the tests; empty for all.
   * @throws {Error} If the tests can't be run.
   */
  run(environment: Readonly<Record<string, string>>, sample: readonly string[]): Promise<TestResult[]>;
}
