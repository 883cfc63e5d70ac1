/**
 * Measures the CPU time of a mock server per request, against a bare `Deno.serve` that sends the same bytes and
 * headers. Where the request has a body, the bare server parses it as JSON too. Requests are sent in rounds, as
 * compare.ts describes.
 *
 * @module
 */

import { CHECKED_GOAL, compareChecked } from "./checked.ts";
import { compare, type Comparison, COMPARISON_HEADS, comparisonCells } from "./compare.ts";
import { gw, installPeers } from "./candidates.ts";
import * as definitions from "./definitions.ts";
import type { Load } from "./load.ts";
import type { BenchOptions } from "./options.ts";
import { startSame } from "./same.ts";
import { type CommandLine, startServer } from "./server.ts";
import { printTable } from "./table.ts";

/** Requests to `gw mock`, with the goal for their CPU time beside a bare server's. */
export interface RequestCase {
  name: string;
  definition: definitions.Definition;
  /** Whether gw writes its request log to a file. */
  log?: boolean;
  headers?: readonly [string, string][];
  script?: string;
  /** The JSON body that `script` posts. The mock servers validate it, and the bare server parses it. */
  body?: string;
  goal: number;
}

export async function benchRequest(options: BenchOptions): Promise<void> {
  const rows = [["CPU time a request", "server", ...COMPARISON_HEADS.with(1, "bare µs")]];
  const ours = gw(options.program);
  const peers = options.peers ? await installPeers() : [];
  for (const measured of await listCases()) {
    const { name, definition, log = false, goal } = measured;
    for (const candidate of [ours, ...peers]) {
      const commandLine = candidate.serve(definition.file, { logs: log, validates: measured.body !== undefined });
      const result = await measure(commandLine, measured, options);
      rows.push([name, candidate.name, ...comparisonCells(result, candidate === ours ? goal : undefined)]);
    }
  }
  printTable(rows);
  await benchChecked(options);
}

async function benchChecked(options: BenchOptions): Promise<void> {
  const result = await compareChecked(options);
  printTable([
    ["CPU time a request", ...COMPARISON_HEADS.with(1, "not checked µs")],
    ["proxied, checked, 2 KB of JSON each way", ...comparisonCells(result, CHECKED_GOAL)],
  ]);
}

export async function listCases(): Promise<RequestCase[]> {
  const { todo } = definitions;
  const orders = await definitions.orders();
  const order = definitions.order();
  return [
    { name: "example body", definition: todo, goal: 1.4 },
    { name: "example body, log into a file", definition: todo, log: true, goal: 2 },
    { name: "generated body", definition: await definitions.todoWithoutExamples(), goal: 1.4 },
    {
      name: "1,000 operations, templates, weights",
      definition: await definitions.thousandOperations(),
      headers: [["accept", "text/html, application/xml;q=0.8, application/json;q=0.9, */*;q=0.1"]],
      script: await definitions.thousandOperationsScript(),
      goal: 2,
    },
    {
      name: "2,000 operations, conditions in path keys",
      definition: await definitions.conditionalOperations(),
      script: await definitions.conditionalOperationsScript(),
      goal: 2,
    },
    {
      name: "validated POST, 20 items",
      definition: orders,
      headers: [["content-type", "application/json"]],
      script: await definitions.postScript(orders.path, order),
      body: order,
      goal: 3,
    },
  ];
}

async function measure(commandLine: CommandLine, measured: RequestCase, options: BenchOptions): Promise<Comparison> {
  const { definition: { path }, headers = [], script, body, log } = measured;
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  const server = await startServer(commandLine, { path, ...(log ? { log: `${folder}/log` } : {}) });
  const baseline = await startSame(server, { path, headers, ...(body === undefined ? {} : { body }) }, folder);
  const requests: Load = { path, headers, seconds: options.seconds, ...(script === undefined ? {} : { script }) };
  try {
    return await compare(server, baseline, requests, options.rounds);
  } finally {
    await Promise.all([server.stop(), baseline.stop()]);
    await Deno.remove(folder, { recursive: true });
  }
}
