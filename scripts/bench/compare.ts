import { type Load, load } from "./load.ts";
import type { Server } from "./server.ts";
import { median } from "./table.ts";

/** The figures of a server and of its baseline: medians over the rounds. */
export interface Comparison {
  /** CPU time of the server per request, in microseconds. */
  microseconds: number;
  bareMicroseconds: number;
  /** CPU time of the server divided by that of the baseline. */
  ratio: number;
  requestsPerSecond: number;
  bareRequestsPerSecond: number;
  /** The number of the server's failed requests in all rounds. */
  failures: number;
}

/** The heads of the columns that `comparisonCells()` fills. */
export const COMPARISON_HEADS: readonly string[] = [
  "µs",
  "baseline µs",
  "ratio",
  "to reach",
  "requests/s",
  "failures",
];

/** The cells of a comparison in a table. `goal` is the ratio to reach, if there is one. */
export function comparisonCells(result: Comparison, goal?: number): string[] {
  return [
    result.microseconds.toFixed(1),
    result.bareMicroseconds.toFixed(1),
    result.ratio.toFixed(2),
    goal?.toFixed(1) ?? "",
    Math.round(result.requestsPerSecond).toLocaleString("en"),
    String(result.failures),
  ];
}

/**
 * Measures a server against its baseline. Each round sends load to the baseline, to the server and to the baseline
 * again. The ratio of a round is the server's CPU time per request, divided by the mean of the baseline's two.
 *
 * @param requests The load for the server.
 * @param rounds The number of rounds.
 * @param baselineRequests The load for the baseline. Default: `requests`.
 */
export async function compare(
  server: Server,
  baseline: Server,
  requests: Load,
  rounds: number,
  baselineRequests = requests,
): Promise<Comparison> {
  await load(baseline, baselineRequests);
  await load(server, requests);
  const results: Comparison[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await load(baseline, baselineRequests);
    const outcome = await load(server, requests);
    const after = await load(baseline, baselineRequests);
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
