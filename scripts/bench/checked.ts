/**
 * Measures what checking costs `gw proxy`: CPU time for a request with 2 KB of JSON and a response with 2 KB of JSON,
 * compared with `gw proxy --validate off` in front of the same upstream.
 *
 * @module
 */
import { compare, type Comparison } from "./compare.ts";
import { bare, programWords } from "./candidates.ts";
import * as definitions from "./definitions.ts";
import type { BenchOptions } from "./options.ts";
import { startServer } from "./server.ts";

/** The goal: CPU time with checks, divided by CPU time without, is at most this. */
export const CHECKED_GOAL = 2;

export async function compareChecked({ program, rounds, seconds }: BenchOptions): Promise<Comparison> {
  const { file, path } = await definitions.returnedOrders();
  const order = definitions.order();
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  const bodyFile = `${folder}/body.json`;
  await Deno.writeTextFile(bodyFile, order);
  const upstream = await startServer(bare(bodyFile, [["content-type", "application/json"]], "json"));
  const proxy = (validate: string): ReturnType<typeof startServer> =>
    startServer((port) => [
      ...[...programWords(program), "proxy", file, `http://127.0.0.1:${upstream.port}`],
      ...["--port", String(port), "--quiet", "--validate", validate, "--proxy-unknown"],
    ], { path: "/ready" });
  const [checked, unchecked] = [await proxy("error"), await proxy("off")];
  const load = { path, seconds, script: await definitions.postScript(path, order) };
  try {
    return await compare(checked, unchecked, load, rounds);
  } finally {
    await Promise.all([checked.stop(), unchecked.stop(), upstream.stop()]);
    await Deno.remove(folder, { recursive: true });
  }
}
