/**
 * The requests of a journal, as a reader sees them.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { AnswerSource } from "../answer.ts";
import type { RequestViolation } from "../validation/violation.ts";

/** A request that the server answered, with its answer. Names operations, so that it keeps no definition in memory. */
export interface JournalEntry {
  /** Number of the request: 1 for the server's first; greater for each later one. */
  readonly id: number;
  /** When the answer was ready, in milliseconds since the epoch. */
  readonly time: number;
  /** The session of the request. */
  readonly session: string;
  /** The operation that the request is for; absent where no definition has its path and method. */
  readonly operation?: JournalOperation;
  readonly request: JournalMessage & {
    readonly method: string;
    /** The URL of the request, absolute. */
    readonly url: string;
    /** The operation's path parameters, percent-decoded. */
    readonly pathParameters: Readonly<Record<string, string>>;
    /** Whether the headers were left out, because of too many requests in a second. */
    readonly lacksHeaders?: boolean;
  };
  readonly response: JournalMessage & {
    readonly status: number;
    /** Media type of the body; empty without one. */
    readonly mediaType: string;
    /** The source of the body, as in the log. */
    readonly source: AnswerSource;
    /** The detail of the problem, where the response carries one. */
    readonly detail?: string;
  };
  /** The violations of the request; empty where it was valid or not checked. */
  readonly violations: readonly RequestViolation[];
}

/** The names of an operation. */
export interface JournalOperation {
  /** `operationId`; absent where the definition gives none. */
  readonly operationId?: string;
  /** HTTP method. */
  readonly method: string;
  /** Path template: `/pets/{petId}`. */
  readonly path: string;
}

/** Headers and body of a message. */
export interface JournalMessage {
  readonly headers: HeaderList;
  /** The body without content coding, or its start. Absent without a body, and where the server hasn't read it. */
  readonly body?: Uint8Array;
  /** The bytes of the whole body, where `body` is only its start. */
  readonly bodyLength?: number;
}
