import type { TestResult } from "./result.ts";

/** A test in mocha's JSON report, with the properties that are used. */
interface MochaTest {
  readonly fullTitle: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/** Reads the report of mocha's `json` reporter. A failed hook counts as a failed test, as in mocha. */
export function readMocha(text: string): TestResult[] {
  const report: Record<"passes" | "failures" | "pending", readonly MochaTest[]> = JSON.parse(text);
  return [
    ...report.passes.map(({ fullTitle }) => ({ name: fullTitle, outcome: "passed" as const, message: "" })),
    ...report.failures.map(({ fullTitle, err }) => ({
      name: fullTitle,
      outcome: "failed" as const,
      message: err?.stack ?? err?.message ?? "",
    })),
    ...report.pending.map(({ fullTitle }) => ({ name: fullTitle, outcome: "skipped" as const, message: "" })),
  ];
}
