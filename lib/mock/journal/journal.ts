import type { Reply, ReplyDetails } from "../reply.ts";
import type { TappedRequest } from "./request_body.ts";
import type { JournalEntry } from "./entry.ts";

/** The requests that one session answered. The oldest leave it first when there are too many. */
export interface Journal {
  /** Makes a request that keeps its body when it is read, for `record`. Undefined if the body isn't to be kept. */
  tap(request: Request): TappedRequest | undefined;
  /** Takes a request and its reply. Does nothing in a closed journal. */
  record(request: Request, reply: Reply, details: ReplyDetails): void;
  /** The requests, the oldest first. */
  entries(): Iterable<JournalEntry>;
  /** Number of requests. */
  readonly size: number;
  /** Whether bodies of recorded requests are still being read. */
  readonly isReading: boolean;
  /** Resolves when the bodies of recorded requests are there that are still being read. */
  settled(): Promise<void>;
  /**
   * Tells a listener of each request that is recorded from now on. Call the result to stop.
   *
   * @throws {RangeError} If there are too many listeners.
   */
  subscribe(listener: JournalListener): () => void;
  /** Forgets all requests. */
  clear(): void;
  /** Forgets all requests, and takes no more: for a session that is dropped. */
  close(): void;
}

/** A listener of a journal. */
export interface JournalListener {
  /** Takes a request, with its body and violations. Doesn't throw. */
  request(entry: JournalEntry): void;
  /** Called when the journal is closed. */
  close(): void;
}

/** Makes the journals of a server's sessions. */
export interface Journals {
  /** Makes the journal of a session. An unused journal takes next to no memory. */
  open(session: string): Journal;
  /** Memory of all journals in bytes, as estimated. */
  bytes(): number;
  /** Closes the listeners of all journals, as when the server stops. */
  closeListeners(): void;
}
