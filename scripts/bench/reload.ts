/**
 * Measures the time from saving a one-line edit of GitHub's definition until gw's first changed answer, idle and under
 * load, against the time of only reading and parsing the text. Counts the requests that fail meanwhile.
 *
 * @module
 */

import { gw } from "./candidates.ts";
import { github } from "./definitions.ts";
import { load, type Outcome } from "./load.ts";
import type { BenchOptions } from "./options.ts";
import { type Server, startServer } from "./server.ts";
import { median, printTable } from "./table.ts";

/** The text that each edit replaces: a line of the example that `GET /` answers. */
const EDITED = "https://api.github.com/rate_limit";

/** The goal for the time from saving until the first changed answer, in seconds. */
const GOAL = 0.6;

export async function benchReload(options: BenchOptions): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  const original = await Deno.readTextFile((await github()).file);
  const file = `${folder}/github.json`;
  await Deno.writeTextFile(file, original);
  const server = await startServer(gw(options.program).serve(file));
  const edits = edit(server, file, original);
  try {
    const alone: number[] = [];
    for (let round = 0; round < options.rounds; round++) alone.push(parseSeconds(file));
    const idle = await edits(options.rounds);
    const [loaded, outcome] = await underLoad(server, options, () => edits(options.rounds));
    const rows = [[
      "edit of GitHub's definition",
      "s from save to first new answer",
      "to reach",
      "ratio to parsing",
      "failed requests",
    ]];
    const ratio = (seconds: number): string => (seconds / median(alone)).toFixed(1);
    rows.push(["reading and parsing alone", median(alone).toFixed(3), "", "1.0", ""]);
    rows.push(["gw, idle", median(idle).toFixed(3), String(GOAL), ratio(median(idle)), ""]);
    rows.push([
      `gw, under ${Math.round(outcome.requestsPerSecond).toLocaleString("en")} requests/s`,
      median(loaded).toFixed(3),
      String(GOAL),
      ratio(median(loaded)),
      `${outcome.failures} of ${outcome.requests.toLocaleString("en")}`,
    ]);
    printTable(rows);
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

function parseSeconds(file: string): number {
  const begin = performance.now();
  JSON.parse(Deno.readTextFileSync(file));
  return (performance.now() - begin) / 1000;
}

/** Saves edits one after the other, each with another text. Returns the seconds until gw served each of them. */
function edit(server: Server, file: string, original: string): (times: number) => Promise<number[]> {
  let edition = 0;
  return async (times) => {
    const took: number[] = [];
    for (let time = 0; time < times; time++) {
      const text = `${EDITED}/${++edition}`;
      await Deno.writeTextFile(file, original.replace(EDITED, text));
      const begin = performance.now();
      while (!(await answer(server)).includes(`"${text}"`)) {
        if (performance.now() - begin > 30_000) throw new Error("The edit was not served within 30 s.");
      }
      took.push((performance.now() - begin) / 1000);
      // Pauses, since gw reads several changes in quick succession as one.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return took;
  };
}

async function answer(server: Server): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  return await response.text();
}

async function underLoad(
  server: Server,
  options: BenchOptions,
  edits: () => Promise<number[]>,
): Promise<[number[], Outcome]> {
  // The load must last until the end of the edits, each of which takes up to {@linkcode GOAL} and a pause of 0.5 s.
  const seconds = Math.ceil(options.rounds * (GOAL + 0.5)) + 2;
  return await Promise.all([edits(), load(server, { path: "/", seconds })]);
}
