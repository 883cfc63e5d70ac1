import type { TestResult } from "./result.ts";

/** An event of `go test -json` (`go doc test2json`), with the properties that are used. */
interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly ImportPath?: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** The outcome of a test, by the action of its last event. */
const OUTCOMES: Readonly<Record<string, TestResult["outcome"]>> = { pass: "passed", fail: "failed", skip: "skipped" };

/**
 * Reads the output of `go test -json`. Subtests count as tests. A test that began and didn't end has failed. A package
 * that fails without a failed test, for example because it doesn't compile, counts as a failed test with the package's
 * name.
 *
 * @param text One JSON object per line. Other lines are skipped.
 * @param module The path of the module, which is left out of the names of tests.
 */
export function readGoEvents(text: string, module: string): TestResult[] {
  const results = new Map<string, TestResult>();
  const outputs = new Map<string, string>();
  const begun = new Set<string>();
  const failedPackages = new Set<string>();
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    const event: GoEvent = JSON.parse(line);
    const name = nameOf(event, module);
    if (event.Output !== undefined) outputs.set(name, (outputs.get(name) ?? "") + event.Output);
    if (event.Action === "run") begun.add(name);
    const outcome = OUTCOMES[event.Action];
    if (outcome === undefined) continue;
    if (event.Test !== undefined) results.set(name, { name, outcome, message: "" });
    else if (outcome === "failed") failedPackages.add(name);
  }
  for (const name of begun) if (!results.has(name)) results.set(name, { name, outcome: "failed", message: "" });
  for (const name of failedPackages) {
    const owns = (result: TestResult): boolean => result.outcome === "failed" && result.name.startsWith(`${name}.`);
    if (![...results.values()].some(owns)) results.set(name, { name, outcome: "failed", message: "" });
  }
  return [...results.values()].map((result) =>
    result.outcome === "passed" ? result : { ...result, message: (outputs.get(result.name) ?? "").trim() }
  );
}

/**
 * The name of a test: `charge.TestChargeGet`. In the root package it begins with the last part of the module's path.
 */
function nameOf({ Package, ImportPath, Test }: GoEvent, module: string): string {
  // A build error may name the test binary instead of the package: `example.com/a/b [example.com/a/b.test]`.
  const path = (Package ?? ImportPath ?? "").replace(/ .*$/, "");
  const folder = path.startsWith(`${module}/`) ? path.slice(module.length + 1) : path.slice(path.lastIndexOf("/") + 1);
  return Test === undefined ? folder : `${folder}.${Test}`;
}
