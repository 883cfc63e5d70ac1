import { type Load, load } from "./load.ts";
import type { Server } from "./server.ts";
import { median } from "./table.ts";

/** The figures of a server and their ratio to its baseline: medians over the rounds. */
export interface Comparison {
  /** CPU time of the server for one request, in microseconds. */
  microseconds: number;
  bareMicroseconds: number;
  /** The server's CPU time over the baseline's. */
  ratio: number;
  requestsPerSecond: number;
  bareRequestsPerSecond: number;
  /** The failed requests of the server, over all rounds. */
  failures: number;
}

/**
 * Loads a server and its baseline. Each round loads the baseline, the server and the baseline again; the ratio of a round
 * is the server's CPU time for a request over the mean of the two of the baseline.
 *
 * @param asked What both are asked.
 * @param rounds How often.
 * @param baselineAsked What the baseline is asked. Default: the same.
 */
export async function compare(
  server: Server,
  baseline: Server,
  asked: Load,
  rounds: number,
  baselineAsked = asked,
): Promise<Comparison> {
  await load(baseline, baselineAsked);
  await load(server, asked);
  const results: Comparison[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await load(baseline, baselineAsked);
    const outcome = await load(server, asked);
    const after = await load(baseline, baselineAsked);
    if (before.failures + after.failures > 0) throw new Error("The baseline has failed to answer.");
    const bareMicroseconds = (before.cpuMicroseconds + after.cpuMicroseconds) / 2;
    results.push({
      ...outcome,
      microseconds: outcome.cpuMicroseconds,
      bareMicroseconds,
      ratio: outcome.cpuMicroseconds / bareMicroseconds,
      bareRequestsPerSecond: (before.requestsPerSecond + after.requestsPerSecond) / 2,
    });
  }
  const middle = (key: keyof Comparison): number => median(results.map((result) => result[key]));
  return {
    microseconds: middle("microseconds"),
    bareMicroseconds: middle("bareMicroseconds"),
    ratio: middle("ratio"),
    requestsPerSecond: middle("requestsPerSecond"),
    bareRequestsPerSecond: middle("bareRequestsPerSecond"),
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
  };
}
