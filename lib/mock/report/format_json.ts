import type { Run, Summary } from "./summary.ts";

/** Version of the form; grows when a field changes its meaning or goes away. */
const VERSION = 1;

/** Formats a summary as JSON: its fields as they are, after those of the run. */
export function formatJson(summary: Summary, run: Run): string {
  const { totals, operations, unmatched } = summary;
  return `${JSON.stringify({ version: VERSION, ...run, totals, operations, unmatched }, undefined, 2)}\n`;
}
