/**
 * The entries of a journal: recorded requests with their answers.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { OperationNames } from "../../openapi/operation.ts";
import type { AnswerSource } from "../answer.ts";
import type { RequestViolation } from "../validation/violation.ts";

/**
 * A recorded request with its answer. Has the names of its operation instead of the object, so that a reloaded
 * definition can be freed.
 */
export interface JournalEntry {
  /** The number of the request: the server's first is 1, later ones are greater. */
  readonly id: number;
  /** The time when the answer was ready, in milliseconds since the epoch. */
  readonly time: number;
  /** The session of the request. */
  readonly session: string;
  /** The operation of the request; absent where no definition has its path and method. */
  readonly operation?: OperationNames;
  readonly request: JournalMessage & {
    readonly method: string;
    /** The absolute URL of the request. */
    readonly url: string;
    /** The operation's path parameters, percent-decoded. */
    readonly pathParameters: Readonly<Record<string, string>>;
    /** Whether the headers weren't recorded, because there were too many requests in that second. */
    readonly lacksHeaders?: boolean;
  };
  readonly response: JournalMessage & {
    readonly status: number;
    /** Media type of the body; empty without one. */
    readonly mediaType: string;
    /** How the body was made, as the log says: `example`, `generated`, `rule` … */
    readonly source: AnswerSource;
    /** The `detail` of a problem; absent for other responses. */
    readonly detail?: string;
  };
  /** The violations of the request; empty if the request was valid or wasn't checked. */
  readonly violations: readonly RequestViolation[];
}

/** Headers and body of a message. */
export interface JournalMessage {
  readonly headers: HeaderList;
  /**
   * The body after content decoding, or its first bytes. Absent if there is no body, or if the server didn't read it.
   */
  readonly body?: Uint8Array;
  /** The length of the whole body in bytes, if `body` has only its first bytes. */
  readonly bodyLength?: number;
}
