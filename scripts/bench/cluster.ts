/**
 * Runs the benchmarks of gw in a cluster:
 * `deno task bench:cluster [mocks] [answer] [many] [--rounds N] [--seconds N] [--program FILE]`. Each figure is printed
 * with its goal.
 *
 * The API server, Envoy Gateway and Envoy run as real programs on this machine. gw runs from source, or as a bundle
 * where it is compared with a bare server.
 *
 * @module
 */

import { messageOf } from "../../lib/http/message.ts";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { STACK, type Stack, takeStack } from "../../tests/cluster/support/stack.ts";
import { bundle } from "../bundle.ts";
import { benchAnswer } from "./cluster/answer.ts";
import { benchMany } from "./cluster/many.ts";
import { benchMocks } from "./cluster/mocks.ts";
import type { BenchOptions } from "./options.ts";

const benchmarks: Readonly<Record<string, (stack: Stack, options: BenchOptions) => Promise<void>>> = {
  mocks: benchMocks,
  answer: benchAnswer,
  many: benchMany,
};

const SHELL = fileURLToPath(import.meta.resolve("../cluster/shell.ts"));

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    program: { type: "string" },
  },
});

try {
  const names = positionals.length === 0 ? Object.keys(benchmarks) : positionals;
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  if (unknown.length > 0) throw new Error(`No benchmark ${unknown}; there are ${Object.keys(benchmarks).join(", ")}`);
  const { rounds, seconds } = values;
  // Bundles before entering the namespaces: bundling may download packages, and the namespaces have no network.
  const program = values.program ?? await bundle();
  if (Deno.env.has(STACK)) {
    await using stack = await takeStack();
    const options = { program, peers: false, rounds: Number(rounds), seconds: Number(seconds) };
    for (const name of names) await benchmarks[name]?.(stack, options);
  } else {
    const flags = ["--rounds", rounds, "--seconds", seconds, "--program", program];
    const inside = [Deno.execPath(), "run", "-A", import.meta.filename ?? "", ...names, ...flags];
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", SHELL, ...inside],
      stdin: "null",
    }).spawn().status;
    Deno.exit(code);
  }
} catch (error) {
  // deno-lint-ignore no-console
  console.error(messageOf(error));
  Deno.exit(1);
}
