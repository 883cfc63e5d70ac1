/**
 * CPU time of `gw proxy` for a request with 2 KB of JSON and a response with 2 KB of JSON, both checked, against `gw
 * proxy --validate off` on the same upstream.
 *
 * @module
 */
import { compare, type Comparison } from "./compare.ts";
import { bare, programWords } from "./contestants.ts";
import * as definitions from "./definitions.ts";
import type { BenchOptions } from "./options.ts";
import { startServer } from "./server.ts";

/** The greatest allowed ratio. */
export const CHECKED_REACH = 2;

/** Measures both. */
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
