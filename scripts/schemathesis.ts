/**
 * Tests `gw mock --stateful` with schemathesis and 40 definitions:
 * `deno task schemathesis [NAME…] [--phases stateful] [--examples N] [--seed N]`. Findings that
 * scripts/schemathesis/explanations.ts doesn't explain count as faults of gw; then the exit code is 1. Installs
 * schemathesis with pip into the cache.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { startGw } from "../tests/cmd/process.ts";
import { statefulDefinitions } from "./resources/sample.ts";
import { explain } from "./schemathesis/explanations.ts";
import { readReport, type Report } from "./schemathesis/report.ts";
import { installSchemathesis } from "./schemathesis/install.ts";

const DEFINITIONS = 40;

/** The time limit for testing a definition, in seconds. Findings up to then count. */
const MOST_SECONDS = 300;

const { values: { phases, examples, seed }, positionals } = parseArgs({
  options: {
    phases: { type: "string", default: "stateful" },
    examples: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
  },
  allowPositionals: true,
});

const packages = await installSchemathesis();
const counts = new Map<string, number>();
let tested = 0;
let unexplained = 0;
for await (const { name, path, text } of statefulDefinitions(DEFINITIONS)) {
  if (positionals.length > 0 && !positionals.some((part) => name.includes(part))) continue;
  const { calls, findings, isComplete } = await testDefinition(name, path, text);
  tested++;
  const own = findings.filter((finding) => explain(finding) === undefined);
  unexplained += own.length;
  for (const finding of findings) {
    const reason = explain(finding)?.reason ?? "unexplained";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  console.log(
    `${name}: ${calls} calls, ${findings.length} findings, ${own.length} unexplained${
      isComplete ? "" : ", stopped by the time limit"
    }`,
  );
  for (const { operation, type, message } of own) console.log(`  ${operation} ${type}: ${message}`);
}
console.log(`\n${tested} definitions`);
for (const [reason, count] of counts) console.log(`${count} findings: ${reason}`);
Deno.exitCode = unexplained === 0 ? 0 : 1;

/** Tests a definition. If schemathesis doesn't support it, tests a copy without patterns and links. */
async function testDefinition(name: string, path: string, text: string): Promise<Report> {
  const report = await runSchemathesis(name, path);
  if (report.errors.length === 0) return report;
  for (const message of report.errors) console.log(`${name}: error of schemathesis: ${message}`);
  const copy = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(copy, withoutUnsupported(text));
    const second = await runSchemathesis(name, copy);
    return { ...second, calls: report.calls + second.calls, findings: [...report.findings, ...second.findings] };
  } finally {
    await Deno.remove(copy);
  }
}

function withoutUnsupported(text: string): string {
  const isUnsupported = (key: string, value: unknown): boolean =>
    (key === "pattern" && typeof value === "string") || (key === "links" && typeof value === "object");
  return JSON.stringify(JSON.parse(text, (key, value) => isUnsupported(key, value) ? undefined : value));
}

async function runSchemathesis(name: string, path: string): Promise<Report> {
  // schemathesis can't make credentials for every security scheme, such as OAuth 2.0: then each answer would be a 401.
  await using gw = await startGw({ args: ["mock", path, "--stateful", "--validate", "error", "--no-security"] });
  // schemathesis writes its database into the working directory.
  const folder = await Deno.makeTempDir();
  try {
    const report = `${folder}/report.ndjson`;
    await new Deno.Command("python3", {
      args: [
        ...["-m", "schemathesis.cli", "run", path, "--url", gw.url, "--checks", "all", "--continue-on-failure"],
        ...["--phases", phases, "--max-examples", examples, "--seed", seed, "--no-color", "--no-shrink"],
        ...["--report", "ndjson", "--report-ndjson-path", report, "--generation-database", "none"],
      ],
      env: { PYTHONPATH: packages },
      cwd: folder,
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(MOST_SECONDS * 1000),
    }).output();
    const text = await Deno.readTextFile(report);
    if (!text.includes('{"ScenarioFinished"')) console.log(`${name}: schemathesis finds no sequences of calls in it`);
    return readReport(name, text);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
