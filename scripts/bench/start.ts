/**
 * Measures the time from the start of a process until its first response with status 200, and its memory then, against
 * a bare `Deno.serve`.
 *
 * @module
 */

import { messageOf } from "../../lib/http/message.ts";
import { bare, type Candidate, gw, installPeers } from "./candidates.ts";
import * as definitions from "./definitions.ts";
import type { BenchOptions } from "./options.ts";
import { startServer } from "./server.ts";
import { median, printTable } from "./table.ts";

interface Start {
  seconds: number;
  /** CPU time until the first response with status 200. On a busy machine it varies less than the elapsed time. */
  cpuSeconds: number;
  megabytes: number;
}

/** The goals for gw. */
const GOALS: { definition: () => Promise<definitions.Definition>; seconds: number; megabytes?: number }[] = [
  { definition: () => Promise.resolve(definitions.todo), seconds: 0.15, megabytes: 65 },
  { definition: definitions.stripe, seconds: 0.2, megabytes: 105 },
  { definition: definitions.github, seconds: 0.35, megabytes: 155 },
  { definition: definitions.stripeAsYaml, seconds: 0.5 },
];

export async function benchStart(options: BenchOptions): Promise<void> {
  const baseline: Candidate = { name: "bare Deno.serve", serve: () => bare() };
  const ours = gw(options.program);
  const candidates = [baseline, ours, ...(options.peers ? await installPeers() : [])];
  const rows = [[
    "start until the first 200",
    "server",
    "s",
    "to reach",
    "ratio to bare",
    "CPU s",
    "MB then",
    "to reach",
  ]];
  for (const goal of GOALS) {
    const definition = await goal.definition();
    const starts = await measure(candidates, definition, options.rounds);
    const bareSeconds = starts.get(baseline)?.seconds ?? NaN;
    for (const [candidate, { seconds, cpuSeconds, megabytes }] of starts) {
      rows.push([
        definition.name,
        candidate.name,
        seconds.toFixed(3),
        candidate === ours ? goal.seconds.toFixed(2) : "",
        (seconds / bareSeconds).toFixed(2),
        cpuSeconds.toFixed(2),
        megabytes.toFixed(0),
        candidate === ours ? goal.megabytes?.toFixed(0) ?? "" : "",
      ]);
    }
  }
  printTable(rows);
}

/** Starts each server in turn, in each round. The first round isn't counted: it fills the file cache. */
async function measure(
  candidates: readonly Candidate[],
  { file, path }: definitions.Definition,
  rounds: number,
): Promise<Map<Candidate, Start>> {
  const started = new Map(candidates.map((candidate): [Candidate, Start[]] => [candidate, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [candidate, starts] of started) {
      const start = await startOnce(candidate, file, path);
      if (start === undefined) started.delete(candidate);
      else if (round > 0) starts.push(start);
    }
  }
  return new Map([...started].map(([candidate, starts]) => [candidate, {
    seconds: median(starts.map(({ seconds }) => seconds)),
    cpuSeconds: median(starts.map(({ cpuSeconds }) => cpuSeconds)),
    megabytes: median(starts.map(({ megabytes }) => megabytes)),
  }]));
}

async function startOnce(candidate: Candidate, file: string, path: string): Promise<Start | undefined> {
  try {
    const server = await startServer(candidate.serve(file), { path });
    const start = {
      seconds: server.startSeconds,
      cpuSeconds: server.cpuSeconds(),
      megabytes: server.memoryMegabytes(),
    };
    await server.stop();
    return start;
  } catch (error) {
    // A peer that doesn't answer is left out of the table. gw must answer.
    if (candidate.name === "gw") throw error;
    // deno-lint-ignore no-console
    console.error(`${candidate.name}, ${file}: ${messageOf(error)}`);
    return undefined;
  }
}
