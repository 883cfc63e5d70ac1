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

/** A request to a shop, with the goals for two ratios: CPU time against a bare server, and with many items against few. */
interface Case {
  readonly name: string;
  readonly path: string;
  readonly bare?: number;
  readonly many?: number;
  /** Whether each request has another URL. */
  readonly varies?: boolean;
  /** Whether an order is changed after each request, so that lists which show it are made anew. */
  readonly changes?: boolean;
}

/** The requests to the definition `shop`. */
const CASES: readonly Case[] = [
  { name: "GET an item", path: "/orders/7", bare: 2, many: 1.5 },
  { name: "GET a list of 20, the same again", path: "/orders?limit=20", bare: 4 },
  { name: "GET a list of 20", path: "/orders?limit=20", bare: 4, varies: true },
  { name: "GET a list, filtered by id", path: "/orders?id=7", many: 1.5, varies: true },
  { name: "GET a list, filtered by parent", path: "/orders?userId=3", many: 1.5, varies: true },
  { name: "GET a list of a parent, of 20", path: "/users/3/orders?limit=20", bare: 4, many: 1.5, varies: true },
];

/** The requests to the definition `joinedShop`, whose paths `/orders` have the orders of all users. */
const JOINED_CASES: readonly Case[] = [
  { name: "GET an item", path: "/orders/7", many: 1.5, varies: true },
  { name: "GET a list of 20", path: "/orders?limit=20", many: 1.5, varies: true },
  { name: "GET a list of 20, PATCH an item", path: "/orders?limit=20", many: 1.5, changes: true },
  { name: "GET a list, filtered by id", path: "/orders?id=7", many: 1.5, varies: true },
  { name: "GET a list, filtered by parent", path: "/orders?userId=3&limit=20", many: 1.5, varies: true },
  { name: "GET the same, PATCH an item", path: "/orders?userId=3&limit=20", many: 1.5, changes: true },
  { name: "GET a list of a parent", path: "/users/3/orders", many: 1.5, varies: true },
].map(({ name, ...rest }) => ({ name: `joined: ${name}`, ...rest }));

export async function benchState(options: BenchOptions): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  try {
    const rows = [["CPU time a request", "µs", "baseline", "µs", "ratio", "to reach", "requests/s", "failures"]];
    await compareStates(rows, folder, options, await definitions.shop(), shopState, CASES);
    await compareStates(rows, folder, options, await definitions.joinedShop(), joinedShopState, JOINED_CASES);
    await compareJournal(rows, options);
    printTable(rows);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  printTable(await sessionRows());
}

/** @param stateOf Makes the saved state with a number of users. */
async function compareStates(
  rows: string[][],
  folder: string,
  options: BenchOptions,
  { file, path: ready }: definitions.Definition,
  stateOf: (users: number) => string,
  cases: readonly Case[],
): Promise<void> {
  const start = async (users: number): Promise<Server> => {
    const state = `${folder}/${users}.json`;
    await Deno.writeTextFile(state, stateOf(users));
    return await startGw(options.program, [file, "--stateful", "--state", state], ready);
  };
  const [few, many] = [await start(FEW_USERS), await start(MANY_USERS)];
  try {
    for (const { name, path, bare, many: most, varies = false, changes = false } of cases) {
      const script = varies
        ? { script: await definitions.varyingScript(path) }
        : changes
        ? { script: await definitions.changingScript(path, "/orders/90") }
        : {};
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

/**
 * The sizes of V8's space for new objects, in MiB. What a journal keeps makes V8 enlarge this space, so that it collects
 * garbage less often: a gain that hides the cost of the journal. So the servers with and without a journal are compared
 * with the same space, a small one and the largest.
 */
const NEW_SPACES = [1, 16];

/** The headers that a browser sends with `fetch`. */
const BROWSER: readonly [string, string][] = [
  ["accept", "*/*"],
  ["accept-encoding", "gzip, deflate, br, zstd"],
  ["accept-language", "en-US,en;q=0.5"],
  ["cache-control", "no-cache"],
  ["referer", "http://127.0.0.1:5173/"],
  ["sec-fetch-dest", "empty"],
  ["sec-fetch-mode", "cors"],
  ["sec-fetch-site", "same-site"],
  ["user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
];

/** Compares a journal with none, for requests with a browser's headers: for one URL, and each for another URL. */
async function compareJournal(rows: string[][], options: BenchOptions): Promise<void> {
  const { file, path } = definitions.todo;
  const varying = await definitions.varyingScript(path);
  for (const space of NEW_SPACES) {
    const flags = [`--v8-flags=--min-semi-space-size=${space},--max-semi-space-size=${space}`];
    const [on, off] = [
      await startGw(options.program, [file], path, flags),
      await startGw(options.program, [file, "--journal", "0"], path, flags),
    ];
    try {
      for (const [name, script] of [["one URL", {}], ["other URLs", { script: varying }]] as const) {
        const requests = { path, headers: BROWSER, seconds: options.seconds, ...script };
        const result = await compare(on, off, requests, options.rounds);
        rows.push(row(`example body, journal, ${name}, new space ${space} MiB`, "no journal", 1.05, result));
      }
    } finally {
      await Promise.all([on.stop(), off.stop()]);
    }
  }
}

function startGw(
  program: string,
  words: readonly string[],
  path = "/",
  flags: readonly string[] = [],
): Promise<Server> {
  return startServer(
    (port) => [...programWords(program, flags), "mock", ...words, "--quiet", "--port", String(port)],
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
  const { all, ofUsers, people } = savedCollections(users);
  return savedState({ orders: all, users: people, "users.orders": ofUsers });
}

/** The saved state for the definition `joinedShop`. Each user has 20 orders. */
function joinedShopState(users: number): string {
  const { ofUsers, people } = savedCollections(users);
  return savedState({ orders: ofUsers, users: people });
}

interface SavedCollection {
  readonly scope: readonly string[];
  readonly items: readonly { key: string; revision: number; created: number; value: { id: number } }[];
}

function savedState(resources: Readonly<Record<string, readonly SavedCollection[]>>): string {
  const cleared = Object.entries(resources).map(([name, collections]) => [name, { cleared: [[]], collections }]);
  const items = Object.values(resources).flat().flatMap((collection) => collection.items);
  const revision = items.reduce((most, item) => Math.max(most, item.revision), 0);
  return JSON.stringify({ version: 1, revision, resources: Object.fromEntries(cleared) });
}

/** The users, and their orders as one collection and as one for each user. */
function savedCollections(users: number): Record<"all" | "ofUsers" | "people", readonly SavedCollection[]> {
  let revision = 0;
  const itemOf = <Value extends { id: number }>(value: Value): SavedCollection["items"][number] => {
    revision++;
    return { key: String(value.id), revision, created: revision, value };
  };
  const ordersOf = (user: number): SavedCollection["items"] =>
    Array.from({ length: ORDERS }, (_, index) => {
      const id = user * ORDERS + index + 1;
      return itemOf({ id, userId: user, status: "open", total: id % 100, note: `Order ${id} of user ${user}` });
    });
  const ids = Array.from({ length: users }, (_, index) => index);
  return {
    all: [{ scope: [], items: ids.flatMap(ordersOf) }],
    ofUsers: ids.map((user) => ({ scope: [String(user)], items: ordersOf(user) })),
    people: [{ scope: [], items: ids.map((id) => itemOf({ id, name: `User ${id}` })) }],
  };
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
