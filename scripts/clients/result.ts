/** The result of one test of a client. */
export interface TestResult {
  /** The name that the test runner reports, with the package, file or class of the test. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The runner's message about a failure or a skip; otherwise empty. */
  readonly message: string;
}
