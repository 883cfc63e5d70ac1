export interface TestResult {
  /** The name that the test runner reports, including the package, file or class of the test. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The message of the test runner about a failure or a skip; otherwise empty. */
  readonly message: string;
}
