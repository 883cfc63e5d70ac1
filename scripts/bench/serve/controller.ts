/**
 * Measures the controller's CPU time for one more API, on a fleet that has 1,000 or 5,000 APIs. The figure includes the
 * cluster, which is simulated in the same process. Its share for one API doesn't depend on the number of APIs.
 *
 * @module
 */

import { median, printTable } from "../table.ts";

const SIZES = [1_000, 5_000] as const;

/** The number of APIs that are deployed and measured, one after the other. */
const MORE = 15;

const GOAL = 1.5;

const PROCESS = `${import.meta.dirname}/controller_process.ts`;

interface Measured {
  /** The CPU time for each of the measured APIs, in milliseconds. */
  spent: number[];
  /** The longest time for which listing all objects at the start blocks the event loop, in milliseconds. */
  list: number;
}

export async function benchController(): Promise<void> {
  const measured: Measured[] = [];
  for (const size of SIZES) measured.push(await measure(size));
  const [few, many] = measured.map(({ spent }) => median(spent));
  printTable([
    [
      "one API more in a cluster, with",
      ...SIZES.map((size) => `${size.toLocaleString("en")} APIs`),
      "ratio",
      "to reach",
    ],
    [
      "CPU time of the controller",
      ...measured.map(({ spent }) => `${median(spent).toFixed(1)} ms`),
      ((many ?? NaN) / (few ?? NaN)).toFixed(2),
      String(GOAL),
    ],
    ["longest wait for a turn during the first list", ...measured.map(({ list }) => `${list.toFixed(0)} ms`), "", ""],
  ]);
}

async function measure(size: number): Promise<Measured> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROCESS, String(size), String(MORE)],
    stdin: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
