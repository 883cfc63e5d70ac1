/** One test of a client and what became of it. */
export interface TestResult {
  /** As the test's own runner names it, with the package, file or class that holds it. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What the runner says of a failure or a skip; empty otherwise. */
  readonly message: string;
}
