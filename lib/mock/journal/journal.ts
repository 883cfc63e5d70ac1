import type { MemoryBudget } from "../../http/limits/memory_budget.ts";
import type { Reply, ReplyDetails } from "../operation/reply.ts";
import type { JournalEntry } from "./entry.ts";

/** The latest requests of one session. Beyond the limit, the oldest are dropped. */
export interface Journal {
  /** Reads the stopwatch when a request begins; `undefined` without a stopwatch. */
  begin(): number | undefined;
  /**
   * Records a request with its reply. Does nothing after `close`.
   *
   * @param begun What `begin` returned at the begin of the request. Default: its duration isn't known.
   * @returns If the reply has a delay or a fault: a function that records the milliseconds until it was sent.
   */
  record(
    request: Request,
    reply: Reply,
    details: ReplyDetails,
    begun?: number,
  ): ((milliseconds: number) => void) | undefined;
  /** The recorded requests, the oldest first. */
  entries(): Iterable<JournalEntry>;
  readonly size: number;
  /** The number of the last recorded request; 0 if there is none. */
  readonly lastId: number;
  /** The memory for what waits for the listeners of all journals. */
  readonly waiting: MemoryBudget;
  /** Whether a body of a recorded request is still being read. */
  readonly isReading: boolean;
  /** Resolves when the bodies that are being read now have been read. */
  settled(): Promise<void>;
  /**
   * Calls a listener for each request that is recorded from now on. Call the returned function to unsubscribe.
   *
   * @throws {RangeError} If there are too many listeners.
   */
  subscribe(listener: JournalListener): () => void;
  clear(): void;
  /** Removes all requests, and records no more, because the session has ended. */
  close(): void;
}

export interface JournalListener {
  /** Receives a request when its body and violations are complete. Must not throw. */
  request(entry: JournalEntry): void;
  /** Called when the journal is closed. */
  close(): void;
}

export interface Journals {
  /** Makes the journal of a session. An empty journal takes hardly any memory. */
  open(session: string): Journal;
  bytes(): number;
  /** Ends the subscriptions to all journals, because the server stops. */
  closeListeners(): void;
}
