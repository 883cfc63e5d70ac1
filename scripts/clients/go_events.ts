import type { TestResult } from "./result.ts";

/** The properties of an event of `go test -json` (`go doc test2json`) that are read. */
interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly ImportPath?: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** The outcome of a test, by the action that ends it. */
const OUTCOMES: Readonly<Record<string, TestResult["outcome"]>> = { pass: "passed", fail: "failed", skip: "skipped" };

/**
 * Reads what `go test -json` prints. Subtests count as tests. A package that fails without a failed test (it doesn't
 * build, or ended early) is a failed test named as the package; so is a test that began and didn't end.
 *
 * @param text One JSON object a line; other lines are passed over.
 * @param module The module's path, which the names of packages leave out.
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
 * The name of a test: `charge.TestChargeGet`. For the root package, it begins with the last part of the module's name.
 */
function nameOf({ Package, ImportPath, Test }: GoEvent, module: string): string {
  // A build error may name the test binary too: `example.com/a/b [example.com/a/b.test]`.
  const path = (Package ?? ImportPath ?? "").replace(/ .*$/, "");
  const folder = path.startsWith(`${module}/`) ? path.slice(module.length + 1) : path.slice(path.lastIndexOf("/") + 1);
  return Test === undefined ? folder : `${folder}.${Test}`;
}
