/**
 * Runs the benchmarks:
 * `deno task bench [request] [start] [reload] [serve] [state] [node] [--peers] [--rounds N] [--seconds N] [--program FILE]`.
 *
 * Absolute figures differ between machines and days. So each benchmark measures a baseline in the same run, with
 * `--peers` also other mock servers, and prints a table with ratios. `deno task bench versions --against FILE` compares
 * with another version of gw, whose bundle or executable is FILE.
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
import { benchVersions } from "./bench/versions.ts";
import { bundle } from "./bundle.ts";

const benchmarks: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  request: benchRequest,
  start: benchStart,
  reload: benchReload,
  serve: benchServe,
  state: benchState,
  node: benchNode,
};

/** The benchmark that needs another version of gw, and runs only if it is named. */
const VERSIONS = "versions";

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    peers: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    program: { type: "string" },
    against: { type: "string" },
  },
});

const names = positionals.length === 0 ? Object.keys(benchmarks) : positionals;

try {
  const known = [...Object.keys(benchmarks), VERSIONS];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`No benchmark ${unknown}; there are ${known.join(", ")}`);
  const options: BenchOptions = {
    program: values.program ?? await bundle(),
    against: values.against,
    peers: values.peers,
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  };
  for (const name of names) await (name === VERSIONS ? benchVersions : benchmarks[name])?.(options);
} catch (error) {
  // deno-lint-ignore no-console
  console.error(messageOf(error));
  Deno.exit(1);
}
