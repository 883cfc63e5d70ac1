import { jsonText } from "../../http/one_line.ts";
import type { Run, Summary } from "./summary.ts";

/** Version of the report's format. It is increased when a field is removed or changes its meaning. */
const VERSION = 1;

/** Formats a summary as JSON: first the fields of `Run`, then those of `Summary`. */
export function formatJson(summary: Summary, run: Run): string {
  const { totals, unansweredReason, operations, unmatched } = summary;
  return `${jsonText({ version: VERSION, ...run, totals, unansweredReason, operations, unmatched }, 2)}\n`;
}
