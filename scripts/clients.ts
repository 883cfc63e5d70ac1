/**
 * Runs the tests of official clients against `gw mock`, in its default mode and in strict mode
 * (`--validate error --no-security`): `deno task clients [NAME…] [--sample] [--mode default|strict]`. Prints the number
 * of tests that passed and failed, and the reason of each failure. Exits with 1 if `clients/known_failures.ts` doesn't
 * list a failure.
 *
 * The tests and definitions are downloaded into the cache. Tests that the clients skip because of their usual mock
 * server are run. `--sample` runs the tests that take little time.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { printTable } from "./bench/table.ts";
import type { Client, Mode } from "./clients/client.ts";
import { CLIENTS } from "./clients/clients.ts";
import { KNOWN_FAILURES } from "./clients/known_failures.ts";
import { prepareClient, runClient } from "./clients/run_client.ts";
import { evaluate, type Verdict } from "./clients/verdict.ts";

const MODES: readonly Mode[] = ["default", "strict"];

/** Limits of the unknown failures that are printed, and of the lines of each message. */
const SHOWN = { failures: 20, lines: 12 };

/** The result of a client in one mode: a row of the table. */
interface Row {
  readonly client: Client;
  readonly mode: Mode;
  readonly verdict: Verdict;
}

const { values, positionals } = parseArgs({
  options: { sample: { type: "boolean", default: false }, mode: { type: "string" } },
  allowPositionals: true,
});
const modes = MODES.filter((mode) => values.mode === undefined || mode === values.mode);
const clients = CLIENTS.filter((client) =>
  (positionals.length === 0 || positionals.includes(client.name)) && (!values.sample || client.sample !== undefined)
);
const strangers = positionals.filter((name) => !CLIENTS.some((client) => client.name === name));
if (strangers.length > 0 || modes.length === 0) {
  const names = CLIENTS.map((client) => client.name).join(", ");
  console.error(`Cannot run ${[...strangers, values.mode].join(" ")}: clients are ${names}; modes ${MODES.join(", ")}`);
  Deno.exitCode = 2;
} else {
  const rows = await runAll();
  printRows(rows);
  Deno.exitCode = rows.every(({ verdict }) => verdict.unknown.length === 0 && verdict.total > 0) ? 0 : 1;
}

async function runAll(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const client of clients) {
    console.error(`${client.name}: preparing`);
    const runner = await prepareClient(client);
    for (const mode of modes) {
      const start = performance.now();
      const results = await runClient(client, runner, mode, values.sample ? client.sample ?? [] : []);
      const verdict = evaluate(client.name, mode, results, KNOWN_FAILURES);
      const seconds = Math.round((performance.now() - start) / 1000);
      console.error(`${client.name}, ${mode}: ${verdict.passed} of ${verdict.total} passed in ${seconds} s`);
      rows.push({ client, mode, verdict });
    }
  }
  return rows;
}

function printRows(rows: readonly Row[]): void {
  const cells = rows.map((
    { client, mode, verdict: { passed, failed, total, skipped } },
  ) => [
    client.name,
    client.tests.language,
    mode,
    ...[passed, failed, total, skipped].map(String),
    share(passed, total),
  ]);
  printTable([
    ["client", "language", "mode", "passed", "failed", "total", "skipped", "passed of total"],
    ...cells,
    ...(clients.length > 1 ? modes.map((mode) => totalsOf(rows, mode)) : []),
  ]);
  for (const { client, mode, verdict: { known, unknown, outdated } } of rows) {
    const title = `${client.name}, ${mode}`;
    for (const { failure, count } of known) {
      console.log(`\n${title}: ${count} failed because of the ${failure.fault}. ${failure.reason}`);
    }
    for (const { tests } of outdated) {
      console.log(`\n${title}: ${tests} passes, and needs no place among known failures`);
    }
    if (unknown.length > 0) console.log(`\n${title}: ${unknown.length} failed because of gw`);
    for (const { name, message } of unknown.slice(0, SHOWN.failures)) {
      console.log([name, ...message.split("\n").slice(0, SHOWN.lines)].join("\n  "));
    }
    if (unknown.length > SHOWN.failures) console.log(`and ${unknown.length - SHOWN.failures} more`);
  }
}

function totalsOf(rows: readonly Row[], mode: Mode): string[] {
  const verdicts = rows.filter((row) => row.mode === mode).map(({ verdict }) => verdict);
  const sum = (field: "passed" | "failed" | "total" | "skipped"): number =>
    verdicts.reduce((total, verdict) => total + verdict[field], 0);
  const counts = [sum("passed"), sum("failed"), sum("total"), sum("skipped")].map(String);
  return ["all", "", mode, ...counts, share(sum("passed"), sum("total"))];
}

function share(passed: number, total: number): string {
  return total === 0 ? "-" : `${(100 * passed / total).toFixed(2)} %`;
}
