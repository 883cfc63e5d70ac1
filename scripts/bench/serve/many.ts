/**
 * Measures `gw serve` with a thousand APIs of 20 operations: start, memory, one more deployment, routing, and the
 * management API.
 *
 * To measure routing alone, the requests must have the same variety with few and with many APIs. So ten operations of
 * the only API are compared with ten operations, of ten APIs, among a thousand APIs.
 *
 * Requests for all thousand APIs cost more for another reason: their answers don't fit into the processor's caches. The
 * last row therefore compares with a bare `Deno.serve` that looks up one of a thousand bodies.
 *
 * @module
 */

import { compare, type Comparison } from "../compare.ts";
import type { Load } from "../load.ts";
import type { BenchOptions } from "../options.ts";
import { startSame } from "../same.ts";
import { type Server, startServer } from "../server.ts";
import { median, printTable } from "../table.ts";
import { oneOfMany, OPERATIONS } from "./definitions.ts";
import { type Gateway, makeStore, settle, startGateway, type StoreFolder } from "./gateway.ts";

const MANY = 1000;
/** The number of operations that are requested: all of the only API, or one each of this number of APIs. */
const TEN = 10;
const PREPARED = `${import.meta.dirname}/../prepared.ts`;

export async function benchMany(options: BenchOptions): Promise<void> {
  await using one = await filledStore(options.program, 1);
  await using many = await filledStore(options.program, MANY);
  await benchSize(options, many);
  await benchRouting(options, one, many);
  await benchManagement(options, many);
}

async function filledStore(program: string, number: number): Promise<StoreFolder> {
  const store = await makeStore();
  const gateway = await startGateway(program, store);
  try {
    for (let index = 0; index < number; index++) await gateway.deploy(`api-${index}`, oneOfMany(index));
    return store;
  } finally {
    await gateway.stop();
  }
}

async function benchSize({ program, rounds }: BenchOptions, store: StoreFolder): Promise<void> {
  const starts: number[] = [];
  const deployed: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const gateway = await startGateway(program, store);
    try {
      starts.push(gateway.management.startSeconds);
      await settle(gateway.management);
      deployed.push(await deployOneMore(gateway));
      memory.push(gateway.management.memoryMegabytes());
      await fetch(`http://127.0.0.1:${gateway.management.port}/apis/default/more`, { method: "DELETE" });
    } finally {
      await gateway.stop();
    }
  }
  printTable([
    [`${MANY.toLocaleString("en")} APIs of ${OPERATIONS} operations`, "measured", "to reach"],
    ["start until ready", `${median(starts).toFixed(2)} s`, "3 s"],
    ["one more deployed, until its first answer", `${median(deployed).toFixed(0)} ms`, "50 ms"],
    ["memory then", `${median(memory).toFixed(0)} MB`, "400 MB"],
  ]);
}

/**
 * Deploys an API twice, and returns the milliseconds of the second deployment. deploy.ts measures the first deployment
 * of a process.
 */
async function deployOneMore(gateway: Gateway): Promise<number> {
  await gateway.deploy("more", oneOfMany(MANY));
  await fetch(`http://127.0.0.1:${gateway.management.port}/apis/default/more`, { method: "DELETE" });
  const begin = performance.now();
  await gateway.deploy("more", oneOfMany(MANY));
  const response = await fetch(`http://127.0.0.1:${gateway.fleet.port}/api-${MANY}/items0/1`);
  await response.bytes();
  if (response.status !== 200) throw new Error(`The API that was deployed last answers ${response.status}`);
  return performance.now() - begin;
}

async function benchRouting(
  { program, rounds, seconds }: BenchOptions,
  one: StoreFolder,
  many: StoreFolder,
): Promise<void> {
  const [small, large] = await Promise.all([startGateway(program, one), startGateway(program, many)]);
  const prepared = await startPrepared(large.fleet, many.path);
  try {
    const asking = async (name: string, expression: string): Promise<Load> => {
      return { path: "/", script: await writeScript(`${many.path}/${name}.lua`, expression), seconds };
    };
    const ofOne = await asking("one", `"/api-0/items" .. (n % ${TEN}) .. "/" .. (n % 2)`);
    const ofTen = await asking(
      "ten",
      `"/api-" .. (n % ${TEN} * ${MANY / TEN}) .. "/items" .. (n % ${TEN}) .. "/" .. (n % 2)`,
    );
    const ofAll = await asking("all", `"/api-" .. (n * 7 % ${MANY}) .. "/items0/1"`);
    const routing = await compare(large.fleet, small.fleet, ofTen, rounds, ofOne);
    const single = await compare(large.fleet, prepared, { path: "/api-0/items0/1", seconds }, rounds);
    const spread = await compare(large.fleet, prepared, ofAll, rounds);
    const row = (name: string, baseline: string, { microseconds, bareMicroseconds, ratio }: Comparison, goal = "") => [
      ...[name, baseline, microseconds.toFixed(1), bareMicroseconds.toFixed(1), ratio.toFixed(2), goal],
    ];
    printTable([
      ["CPU time a request, 1,000 APIs", "baseline", "µs", "baseline µs", "ratio", "to reach"],
      row("10 operations of 10 APIs", "gw with 1 API, 10 operations", routing, "1.2"),
      row("1 operation", "lookup of a body", single),
      row("1,000 operations of 1,000 APIs", "lookup of one of 1,000 bodies", spread),
    ]);
  } finally {
    await Promise.all([small.stop(), large.stop(), prepared.stop()]);
  }
}

/** Starts a bare server that looks up the fleet's answers by path. */
async function startPrepared(fleet: Server, folder: string): Promise<Server> {
  const bodies: Record<string, string> = {};
  let headers: [string, string][] = [];
  for (let index = 0; index < MANY; index++) {
    const response = await fetch(`http://127.0.0.1:${fleet.port}/api-${index}/items0/1`);
    bodies[`api-${index}`] = await response.text();
    headers = [...response.headers].filter(([name]) => name !== "date" && name !== "content-length");
  }
  const file = `${folder}/bodies.json`;
  await Deno.writeTextFile(file, JSON.stringify(bodies));
  return await startServer((port) => [
    ...[Deno.execPath(), "run", "-A", PREPARED, String(port), file, JSON.stringify(headers)],
  ], { path: "/api-0/items0/1" });
}

/**
 * Writes a wrk script that requests one path after the other. The path is a Lua expression in `n`, the number of the
 * request.
 */
async function writeScript(file: string, expression: string): Promise<string> {
  await Deno.writeTextFile(
    file,
    `local n = 0\nrequest = function()\n  n = n + 1\n  return wrk.format("GET", ${expression})\nend\n`,
  );
  return file;
}

async function benchManagement({ program, rounds, seconds }: BenchOptions, store: StoreFolder): Promise<void> {
  const gateway = await startGateway(program, store);
  const rows = [["management API, 1,000 APIs", "requests/s", "bare requests/s", "share", "to reach", "share by CPU"]];
  const questions = [["list of all", "/apis", 25], ["get one", "/apis/default/api-500", 50]] as const;
  try {
    for (const [name, path, goal] of questions) {
      const same = await startSame(gateway.management, { path }, store.path);
      const result = await compare(gateway.management, same, { path, seconds }, rounds);
      await same.stop();
      const share = result.requestsPerSecond / result.bareRequestsPerSecond;
      rows.push([
        name,
        Math.round(result.requestsPerSecond).toLocaleString("en"),
        Math.round(result.bareRequestsPerSecond).toLocaleString("en"),
        `${(share * 100).toFixed(0)} %`,
        `${goal} %`,
        `${(100 / result.ratio).toFixed(0)} %`,
      ]);
    }
  } finally {
    await gateway.stop();
  }
  printTable(rows);
}
