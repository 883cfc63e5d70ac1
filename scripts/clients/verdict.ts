import type { Mode } from "./client.ts";
import type { TestResult } from "./result.ts";

/** A failure with a reason other than a fault of gw. */
export interface KnownFailure {
  /** The client's name. */
  readonly client: string;
  /** The mode in which the tests fail, if they fail in one only. Default: they fail in both. */
  readonly mode?: Mode;
  /** A pattern of the tests' names. */
  readonly tests: RegExp;
  /** A pattern of the failures' messages, so that other failures of the same tests aren't excused. */
  readonly message?: RegExp;
  readonly fault: "client" | "definition";
  /** A sentence. */
  readonly reason: string;
}

/** The outcome of a client's tests in one mode. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Passed and failed. */
  readonly total: number;
  /** The known failures that occurred, each with the number of tests that it explains. */
  readonly known: readonly { readonly failure: KnownFailure; readonly count: number }[];
  /** Failures that no known failure explains. They count as faults of gw. */
  readonly unknown: readonly TestResult[];
  /** Known failures whose tests now pass. */
  readonly outdated: readonly KnownFailure[];
}

/** Counts the results, and separates known failures from unknown ones. */
export function judge(
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
