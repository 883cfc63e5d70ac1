/**
 * Measures the embedded gateway's CPU time per request. A mocked request is compared with a bare `Deno.serve` that
 * sends the same answer, a proxied request with a proxy of ten lines in front of the same upstream.
 *
 * @module
 */

import { compare, COMPARISON_HEADS, comparisonCells } from "../compare.ts";
import { bare } from "../candidates.ts";
import type { BenchOptions } from "../options.ts";
import { startSame } from "../same.ts";
import { startServer } from "../server.ts";
import { printTable } from "../table.ts";
import { deployableTodo, PROXIED } from "./definitions.ts";
import { makeStore, startGateway } from "./gateway.ts";

const MOCKED_REACH = 1.8;
const PROXIED_REACH = 1.3;

const PROXY = `${import.meta.dirname}/../proxy.ts`;

export async function benchRequests({ program, rounds, seconds }: BenchOptions): Promise<void> {
  await using store = await makeStore();
  const upstream = await startServer(bare("", [["content-type", "application/json"]]));
  const todo = await deployableTodo(upstream.port);
  const gateway = await startGateway(program, store);
  await gateway.deploy("todo", todo.openapi);
  const proxy = await startServer((port) => [
    ...[Deno.execPath(), "run", "-A", PROXY, String(port), `http://127.0.0.1:${upstream.port}`],
  ]);
  const same = await startSame(gateway.fleet, { path: todo.path }, store.path);
  try {
    const mocked = await compare(gateway.fleet, same, { path: todo.path, seconds }, rounds);
    const proxied = await compare(gateway.fleet, proxy, { path: PROXIED, seconds }, rounds);
    const results = [
      ["mocked", "bare Deno.serve", mocked, MOCKED_REACH],
      ["proxied", "Deno.serve and fetch", proxied, PROXIED_REACH],
    ] as const;
    printTable([
      ["CPU time a request", "baseline", ...COMPARISON_HEADS],
      ...results.map(([name, baseline, result, goal]) => [name, baseline, ...comparisonCells(result, goal)]),
    ]);
  } finally {
    await Promise.all([gateway.stop(), same.stop(), proxy.stop(), upstream.stop()]);
  }
}
