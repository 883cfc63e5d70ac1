/**
 * Runs the benchmarks:
 * `deno task bench [request] [start] [reload] [serve] [state] [node] [--peers] [--rounds N] [--seconds N] [--program FILE]`.
 *
 * Absolute figures differ between machines and days. So each benchmark measures a baseline in the same run, with
 * `--peers` also other mock servers, and prints a table with ratios.
 *
 * @module
 */

import { messageOf } from "../lib/http/message.ts";
import { parseArgs } from "node:util";
import type { BenchOptions } from "./bench/options.ts";
import { benchNode } from "./bench/node.ts";
import { benchReload } from "./bench/reload.ts";
import { benchRequest } from "./bench/request.ts";
import { benchServe } from "./bench/serve.ts";
import { benchStart } from "./bench/start.ts";
import { benchState } from "./bench/state.ts";
import { bundle } from "./bundle.ts";

const benchmarks: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  request: benchRequest,
  start: benchStart,
  reload: benchReload,
  serve: benchServe,
  state: benchState,
  node: benchNode,
};

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    peers: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    program: { type: "string" },
  },
});

const names = positionals.length === 0 ? Object.keys(benchmarks) : positionals;

try {
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  if (unknown.length > 0) throw new Error(`No benchmark ${unknown}; there are ${Object.keys(benchmarks).join(", ")}`);
  const options: BenchOptions = {
    program: values.program ?? await bundle(),
    peers: values.peers,
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  };
  for (const name of names) await benchmarks[name]?.(options);
} catch (error) {
  // deno-lint-ignore no-console
  console.error(messageOf(error));
  Deno.exit(1);
}
