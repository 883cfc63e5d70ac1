import { JournalBudget } from "./budget.ts";
import type { Journals } from "./journal.ts";
import { DEFAULT_JOURNAL_LIMITS, type JournalLimits } from "./limits.ts";
import { SessionJournal } from "./session_journal.ts";

export interface JournalsOptions extends Partial<JournalLimits> {
  /** The time in milliseconds since the epoch. Default: always 0, and the headers of all requests are recorded. */
  readonly now?: (() => number) | undefined;
  /** Returns milliseconds since any time, for durations. Default: durations aren't measured. */
  readonly stopwatch?: (() => number) | undefined;
}

/**
 * Makes the journals of a server's sessions.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const journal = createJournals({ most: 100 }).open("a");
 * journal.record(new Request("http://localhost/pets"), {
 *   response: new Response(null, { status: 204 }),
 *   mediaType: "",
 *   source: "status",
 * }, {});
 * assert.deepEqual([...journal.entries()].map(({ request, response }) => [request.url, response.status]), [
 *   ["http://localhost/pets", 204],
 * ]);
 * ```
 */
export function createJournals({ now, stopwatch, ...limits }: JournalsOptions = {}): Journals {
  const budget = new JournalBudget({ ...DEFAULT_JOURNAL_LIMITS, ...limits }, now, stopwatch);
  return {
    open: (session) => new SessionJournal(session, budget),
    bytes: () => budget.measure(),
    closeListeners: () => budget.closeListeners(),
  };
}
