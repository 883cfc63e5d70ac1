/**
 * Measures the costs of state: the CPU time of `gw mock --stateful` per request against a bare `Deno.serve` that sends
 * the same bytes and headers; with 100,000 items against few; with a journal against none; and memory and time of 1,000
 * sessions of GitHub's definition.
 *
 * @module
 */
import { compare } from "./compare.ts";
import { programWords } from "./candidates.ts";
import * as definitions from "./definitions.ts";
import type { BenchOptions } from "./options.ts";
import { startSame } from "./same.ts";
import { type Server, startServer } from "./server.ts";
import type { SessionCosts } from "./session_costs.ts";
import { printTable } from "./table.ts";

/** The number of orders of each user. The constants below are the numbers of users in a small and in a large state. */
const ORDERS = 20;
const FEW_USERS = 5;
const MANY_USERS = 5_000;

/**
 * A request to the definition `shop`, with the goals for two ratios: CPU time against a bare server, and with many
 * items against few.
 */
interface Case {
  readonly name: string;
  readonly path: string;
  readonly bare?: number;
  readonly many?: number;
  /** Whether each request has another URL, so that no answer comes from the cache. */
  readonly varies?: boolean;
}

const CASES: readonly Case[] = [
  { name: "GET an item", path: "/orders/7", bare: 2, many: 1.5 },
  { name: "GET a list of 20, the same again", path: "/orders?limit=20", bare: 4 },
  { name: "GET a list of 20", path: "/orders?limit=20", bare: 4, varies: true },
  { name: "GET a list, filtered by id", path: "/orders?id=7", many: 1.5, varies: true },
  { name: "GET a list, filtered by parent", path: "/orders?userId=3", many: 1.5, varies: true },
  { name: "GET a list of a parent, of 20", path: "/users/3/orders?limit=20", bare: 4, many: 1.5, varies: true },
];

export async function benchState(options: BenchOptions): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  try {
    const rows = [["CPU time a request", "µs", "baseline", "µs", "ratio", "to reach", "requests/s", "failures"]];
    await compareStates(rows, folder, options);
    await compareJournal(rows, options);
    printTable(rows);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  printTable(await sessionRows());
}

async function compareStates(rows: string[][], folder: string, options: BenchOptions): Promise<void> {
  const { file } = await definitions.shop();
  const start = async (users: number): Promise<Server> => {
    const state = `${folder}/${users}.json`;
    await Deno.writeTextFile(state, shopState(users));
    return await startGw(options.program, [file, "--stateful", "--state", state], CASES[0]?.path);
  };
  const [few, many] = [await start(FEW_USERS), await start(MANY_USERS)];
  try {
    for (const { name, path, bare, many: most, varies = false } of CASES) {
      const script = varies ? { script: await definitions.varyingScript(path) } : {};
      const requests = { path, seconds: options.seconds, ...script };
      if (bare !== undefined) {
        const baseline = await startSame(few, { path }, folder);
        rows.push(row(name, "bare", bare, await compare(few, baseline, requests, options.rounds)));
        await baseline.stop();
      }
      if (most === undefined) continue;
      await checkSame(few, many, path);
      rows.push(row(`${name}, of 100,000`, "of 100", most, await compare(many, few, requests, options.rounds)));
    }
  } finally {
    await Promise.all([few.stop(), many.stop()]);
  }
}

async function compareJournal(rows: string[][], options: BenchOptions): Promise<void> {
  const { file, path } = definitions.todo;
  const [on, off] = [
    await startGw(options.program, [file], path),
    await startGw(options.program, [file, "--journal", "0"], path),
  ];
  try {
    rows.push(
      row("example body, journal", "no journal", 1.05, await compare(on, off, { path, ...options }, options.rounds)),
    );
  } finally {
    await Promise.all([on.stop(), off.stop()]);
  }
}

function startGw(program: string, words: readonly string[], path = "/"): Promise<Server> {
  return startServer(
    (port) => [...programWords(program), "mock", ...words, "--quiet", "--port", String(port)],
    { path },
  );
}

function row(
  name: string,
  baseline: string,
  goal: number,
  result: Awaited<ReturnType<typeof compare>>,
): string[] {
  return [
    name,
    result.microseconds.toFixed(1),
    baseline,
    result.bareMicroseconds.toFixed(1),
    result.ratio.toFixed(2),
    goal.toFixed(2),
    Math.round(result.requestsPerSecond).toLocaleString("en"),
    String(result.failures),
  ];
}

/** Throws if two servers answer differently, since their CPU times could then not be compared. */
async function checkSame(one: Server, other: Server, path: string): Promise<void> {
  const [first, second] = await Promise.all([one, other].map(async ({ port }) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  }));
  if (first !== second) throw new Error(`${path} has two answers:\n${first}\n${second}`);
}

/**
 * The saved state for the definition `shop`. Each user has 20 orders, in the list of all orders and in the list of the
 * user's orders.
 */
function shopState(users: number): string {
  let revision = 0;
  const itemOf = (value: { id: number }): unknown => {
    revision++;
    return { key: String(value.id), revision, created: revision, value };
  };
  const orderOf = (user: number, index: number): unknown => {
    const id = user * ORDERS + index + 1;
    return itemOf({ id, userId: user, status: "open", total: id % 100, note: `Order ${id} of user ${user}` } as never);
  };
  const ids = Array.from({ length: users }, (_, index) => index);
  const indexes = Array.from({ length: ORDERS }, (_, index) => index);
  const resources = {
    orders: {
      cleared: [[]],
      collections: [{ scope: [], items: ids.flatMap((user) => indexes.map((index) => orderOf(user, index))) }],
    },
    users: {
      cleared: [[]],
      collections: [{ scope: [], items: ids.map((id) => itemOf({ id, name: `User ${id}` } as never)) }],
    },
    "users.orders": {
      cleared: [[]],
      collections: ids.map((user) => ({
        scope: [String(user)],
        items: indexes.map((index) => orderOf(user, index)),
      })),
    },
  };
  return JSON.stringify({ version: 1, revision, resources });
}

async function sessionRows(): Promise<string[][]> {
  const { file } = await definitions.github();
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--v8-flags=--expose-gc", `${import.meta.dirname}/session_costs.ts`, file],
    stdin: "null",
  }).output();
  if (!success) throw new Error(`The sessions can't be measured: ${new TextDecoder().decode(stderr)}`);
  const costs: SessionCosts = JSON.parse(new TextDecoder().decode(stdout));
  return [
    ["1,000 sessions on GitHub's definition", "measured", "to reach"],
    ["KB of a session that nothing was written to", costs.untouchedKilobytes.toFixed(1), "50"],
    ["KB of a fork of a session with 300 collections", costs.forkKilobytes.toFixed(1), ""],
    ["ms of a fork, median", costs.forkMilliseconds.toFixed(3), "1"],
  ];
}
