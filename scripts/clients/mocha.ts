import type { TestResult } from "./result.ts";

/** The properties of a test in mocha's JSON report that are read. */
interface MochaTest {
  readonly fullTitle: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/** Reads the report of mocha's `json` reporter. Hooks that fail count as tests that fail, as in mocha. */
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
