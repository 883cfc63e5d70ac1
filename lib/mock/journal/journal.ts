import type { Reply, ReplyDetails } from "../reply.ts";
import type { TappedRequest } from "./request_body.ts";
import type { JournalEntry } from "./entry.ts";

/** The requests that one session answered. If there are too many, the oldest are dropped. */
export interface Journal {
  /**
   * Wraps a request so that its body is kept for `record` when the server reads it. `undefined` if the journal wouldn't
   * keep this body.
   */
  tap(request: Request): TappedRequest | undefined;
  /** Records a request with its reply. Does nothing once the journal is closed. */
  record(request: Request, reply: Reply, details: ReplyDetails): void;
  /** The recorded requests, the oldest first. */
  entries(): Iterable<JournalEntry>;
  /** Number of recorded requests. */
  readonly size: number;
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
  /** Removes all requests. */
  clear(): void;
  /** Removes all requests and records no more, because the session has ended. */
  close(): void;
}

/** Receives the requests of a journal. */
export interface JournalListener {
  /** Receives a request when its body and violations are complete. Must not throw. */
  request(entry: JournalEntry): void;
  /** Called when the journal is closed. */
  close(): void;
}

/** The journals of a server's sessions. */
export interface Journals {
  /** Makes the journal of a session. An empty journal takes hardly any memory. */
  open(session: string): Journal;
  /** Estimated memory of all journals, in bytes. */
  bytes(): number;
  /** Ends the subscriptions to all journals, because the server stops. */
  closeListeners(): void;
}
