import type { Run, Summary } from "./summary.ts";

/** Version of the report's format; grows when a field changes its meaning or is removed. */
const VERSION = 1;

/** Formats a summary as JSON: the fields of the run, then those of the summary. */
export function formatJson(summary: Summary, run: Run): string {
  const { totals, unansweredReason, operations, unmatched } = summary;
  return `${
    JSON.stringify({ version: VERSION, ...run, totals, unansweredReason, operations, unmatched }, undefined, 2)
  }\n`;
}
