/**
 * Measures the time from sending a definition until the fleet's first answer from it: for the first deployment of an
 * idle process, and for the next deployment of the same definition. For comparison, measures reading the text alone.
 *
 * @module
 */

import type { BenchOptions } from "../options.ts";
import { median, printTable } from "../table.ts";
import { type Deployable, deployables } from "./definitions.ts";
import { type Gateway, makeStore, settle, startGateway } from "./gateway.ts";

/** The goal for the time of a first deployment, in milliseconds, by definition. */
const GOALS: Readonly<Record<string, number>> = { "todo": 20, "Stripe, 2.5 MB": 1000, "GitHub, 5.7 MB": 2000 };

interface Taken {
  milliseconds: number;
  cpuMilliseconds: number;
}

export async function benchDeploy({ program, rounds }: BenchOptions): Promise<void> {
  const rows = [[
    "deployed until the first answer",
    "ms",
    "to reach",
    "CPU ms",
    "again, ms",
    "JSON.parse, ms",
    "ratio",
  ]];
  for (const deployable of await deployables()) {
    const first: Taken[] = [];
    const again: Taken[] = [];
    for (let round = 0; round < rounds; round++) {
      await using store = await makeStore();
      const gateway = await startGateway(program, store);
      try {
        await settle(gateway.management);
        first.push(await deploy(gateway, "first", deployable));
        await remove(gateway, "first");
        again.push(await deploy(gateway, "again", deployable));
      } finally {
        await gateway.stop();
      }
    }
    const parsing = median(Array.from({ length: rounds }, () => parseMilliseconds(deployable)));
    const milliseconds = median(first.map(({ milliseconds }) => milliseconds));
    rows.push([
      deployable.name,
      milliseconds.toFixed(0),
      String(GOALS[deployable.name] ?? ""),
      median(first.map(({ cpuMilliseconds }) => cpuMilliseconds)).toFixed(0),
      median(again.map(({ milliseconds }) => milliseconds)).toFixed(0),
      parsing.toFixed(0),
      (milliseconds / parsing).toFixed(1),
    ]);
  }
  printTable(rows);
}

async function deploy(gateway: Gateway, name: string, { openapi, path }: Deployable): Promise<Taken> {
  const cpuBefore = gateway.management.cpuSeconds();
  const begin = performance.now();
  await gateway.deploy(name, openapi);
  const response = await fetch(`http://127.0.0.1:${gateway.fleet.port}${path}`);
  await response.bytes();
  const milliseconds = performance.now() - begin;
  if (response.status !== 200) throw new Error(`${path} of ${name} answers ${response.status}`);
  return { milliseconds, cpuMilliseconds: (gateway.management.cpuSeconds() - cpuBefore) * 1000 };
}

async function remove({ management }: Gateway, name: string): Promise<void> {
  await fetch(`http://127.0.0.1:${management.port}/apis/default/${name}`, { method: "DELETE" });
}

function parseMilliseconds({ openapi }: Deployable): number {
  const begin = performance.now();
  try {
    JSON.parse(openapi);
  } catch {
    // The text is YAML instead.
  }
  return performance.now() - begin;
}
