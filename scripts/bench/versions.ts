/**
 * Compares the CPU time per request of two versions of gw. Both run at the same time and get load in turns, so that
 * changes of the machine's speed affect both alike. Each is started several times, because the CPU time of a program
 * differs by some percent from start to start.
 *
 * @module
 */

import { bare, gw } from "./candidates.ts";
import { type Load, load } from "./load.ts";
import type { BenchOptions } from "./options.ts";
import { listCases } from "./request.ts";
import { deployableTodo, oneOfMany, PROXIED } from "./serve/definitions.ts";
import { makeStore, settle, startGateway } from "./serve/gateway.ts";
import { type Server, startServer } from "./server.ts";
import { median, printTable } from "./table.ts";

/** The number of times that the servers of both versions are started. */
const STARTS = 5;
/** The number of APIs that the management API lists. */
const MANY = 1000;

/** A server of one version, and the requests that it gets. */
interface Measured {
  readonly server: Server;
  readonly load: Load;
}

/** Servers of one version, by the name of their row. */
type Servers = ReadonlyMap<string, Measured>;

/** CPU time per request in microseconds: of this version, and of the other. */
type Pair = readonly [mine: number, others: number];

export async function benchVersions({ program, against, rounds, seconds }: BenchOptions): Promise<void> {
  if (against === undefined) throw new Error("Name the other version's bundle or executable: --against FILE");
  /** The pairs of each start, by row. */
  const measured = new Map<string, Pair[][]>();
  for (const start of await listStarts(seconds)) {
    for (let count = 0; count < STARTS; count++) {
      await using stack = new AsyncDisposableStack();
      const mine = await start(program, stack);
      const others = await start(against, stack).catch((): undefined => undefined);
      // The other version may lack what a case needs: its rows are left out.
      if (others === undefined) break;
      for (const [name, one] of mine) {
        const other = others.get(name);
        if (other === undefined) continue;
        const pairs = measured.get(name) ?? [];
        measured.set(name, [...pairs, await loadInTurns(one, other, rounds)]);
      }
    }
  }
  printTable([
    ["CPU time a request", "µs", "other version, µs", "ratio", "lowest of a start", "highest"],
    ...Array.from(measured, ([name, starts]) => rowOf(name, starts)),
  ]);
}

function rowOf(name: string, starts: readonly (readonly Pair[])[]): string[] {
  const ratios = starts.map((pairs) => median(pairs.map(([mine, others]) => mine / others)));
  const all = starts.flat();
  return [
    name,
    median(all.map(([mine]) => mine)).toFixed(1),
    median(all.map(([, others]) => others)).toFixed(1),
    ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2)),
  ];
}

/** Sends load to two servers in turns, after a first load that isn't measured. */
async function loadInTurns(mine: Measured, others: Measured, rounds: number): Promise<Pair[]> {
  await measure(mine);
  await measure(others);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await measure(mine);
      pairs.push([first, await measure(others)]);
    } else {
      const first = await measure(others);
      pairs.push([await measure(mine), first]);
    }
  }
  return pairs;
}

async function measure({ server, load: requests }: Measured): Promise<number> {
  const { failures, cpuMicroseconds } = await load(server, requests);
  if (failures > 0) throw new Error(`${failures} requests for ${requests.path} failed.`);
  return cpuMicroseconds;
}

/**
 * Functions that start the servers of one version: one function for each case of the benchmark `request`, and one for
 * `gw serve`.
 */
async function listStarts(
  seconds: number,
): Promise<((program: string, stack: AsyncDisposableStack) => Promise<Servers>)[]> {
  const mocks = (await listCases()).map(
    ({ name, definition, log = false, headers = [], script, body }) =>
    async (program: string, stack: AsyncDisposableStack): Promise<Servers> => {
      const { path, file } = definition;
      const commandLine = gw(program).serve(file, { logs: log, validates: body !== undefined });
      const server = await startServer(commandLine, { path, ...(log ? { log: "/dev/null" } : {}) });
      stack.defer(() => server.stop());
      return new Map([[name, {
        server,
        load: { path, headers, seconds, ...(script === undefined ? {} : { script }) },
      }]]);
    },
  );
  return [...mocks, (program, stack) => startGateways(program, stack, seconds)];
}

/** Starts `gw serve` twice: with one API, whose operations are mocked or proxied, and with {@linkcode MANY} APIs. */
async function startGateways(program: string, stack: AsyncDisposableStack, seconds: number): Promise<Servers> {
  const upstream = await startServer(bare("", [["content-type", "application/json"]]));
  stack.defer(() => upstream.stop());
  const todo = await deployableTodo(upstream.port);
  const { fleet } = await startWith(program, stack, [["todo", todo.openapi]]);
  const { management } = await startWith(
    program,
    stack,
    Array.from({ length: MANY }, (_, index) => [`api-${index}`, oneOfMany(index)] as const),
  );
  await settle(management);
  return new Map([
    ["gw serve, mocked", { server: fleet, load: { path: todo.path, seconds } }],
    ["gw serve, proxied", { server: fleet, load: { path: PROXIED, seconds } }],
    ["management API, list of 1,000", { server: management, load: { path: "/apis", seconds } }],
    ["management API, get one", { server: management, load: { path: "/apis/default/api-500", seconds } }],
  ]);
}

async function startWith(
  program: string,
  stack: AsyncDisposableStack,
  apis: readonly (readonly [name: string, openapi: string])[],
): Promise<Awaited<ReturnType<typeof startGateway>>> {
  const store = stack.use(await makeStore());
  const gateway = await startGateway(program, store);
  stack.defer(() => gateway.stop());
  for (const [name, openapi] of apis) await gateway.deploy(name, openapi);
  return gateway;
}
