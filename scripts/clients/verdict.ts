import type { Mode } from "./client.ts";
import type { TestResult } from "./result.ts";

/** A failure of tests that isn't due to a fault of gw. */
export interface KnownFailure {
  readonly client: string;
  /** The mode in which the tests fail. Default: they fail in both modes. */
  readonly mode?: Mode;
  /** A pattern for the names of the tests. */
  readonly tests: RegExp;
  /** A pattern for the messages of the failures. Without it, other failures of these tests would be excused too. */
  readonly message?: RegExp;
  readonly fault: "client" | "definition";
  /** The reason of the failure, as a sentence. */
  readonly reason: string;
}

/** The results of a client's tests in one mode, with the failures divided into known and unknown ones. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The number of tests that passed or failed. */
  readonly total: number;
  /** The known failures that occurred, each with the number of tests that it matches. */
  readonly known: readonly { readonly failure: KnownFailure; readonly count: number }[];
  /** Failures that no known failure matches: they count as faults of gw. */
  readonly unknown: readonly TestResult[];
  /** Known failures whose tests all pass now. */
  readonly outdated: readonly KnownFailure[];
}

/** Counts the results of tests, and divides the failures into known and unknown ones. */
export function evaluate(
  client: string,
  mode: Mode,
  results: readonly TestResult[],
  failures: readonly KnownFailure[],
): Verdict {
  const listed = failures.filter((failure) => failure.client === client && (failure.mode ?? mode) === mode);
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const passed = results.filter(({ outcome }) => outcome === "passed");
  const reasons = Map.groupBy(failed, (result) => listed.find((failure) => explains(failure, result)));
  return {
    passed: passed.length,
    failed: failed.length,
    skipped: results.length - passed.length - failed.length,
    total: passed.length + failed.length,
    known: listed.flatMap((failure) => {
      const count = reasons.get(failure)?.length ?? 0;
      return count === 0 ? [] : [{ failure, count }];
    }),
    unknown: reasons.get(undefined) ?? [],
    outdated: listed.filter((failure) => !reasons.has(failure) && passed.some(({ name }) => failure.tests.test(name))),
  };
}

function explains({ tests, message }: KnownFailure, result: TestResult): boolean {
  return tests.test(result.name) && (message?.test(result.message) ?? true);
}
