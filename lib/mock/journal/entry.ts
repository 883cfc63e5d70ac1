/**
 * The entries of a journal: recorded requests with their answers.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { OperationNames } from "../../openapi/operation.ts";
import type { AnswerSource } from "../answer/answer.ts";
import type { FaultKind } from "../../openapi/extension/rule.ts";
import type { RequestViolation } from "../validation/violation.ts";

/**
 * A recorded request with its answer. Contains the names of its operation instead of the `Operation`, so that the
 * definition can be garbage-collected after a reload.
 */
export interface JournalEntry {
  /** The number of the request, from 1 on; greater for later requests of the server. */
  readonly id: number;
  /** The time when the answer was ready, in milliseconds since the epoch. */
  readonly time: number;
  /**
   * The milliseconds until the answer was ready. If a rule delayed the answer or disturbed sending it: until it was sent,
   * or its connection broken. Absent if durations aren't measured.
   */
  readonly duration?: number;
  /** The name of the request's session. */
  readonly session: string;
  /** The operation of the request; absent if no definition has its path and method. */
  readonly operation?: OperationNames;
  readonly request: JournalMessage & {
    readonly method: string;
    readonly url: string;
    readonly pathParameters: Readonly<Record<string, string>>;
    /**
     * Whether headers, body and path parameters weren't recorded, because there were more requests in that second than
     * the limit.
     */
    readonly lacksDetails?: boolean;
  };
  readonly response: JournalMessage & {
    readonly status: number;
    /** Media type of the body; empty if there is no body. */
    readonly mediaType: string;
    /** The source of the body, as in the log: `example`, `generated`, `rule` … */
    readonly source: AnswerSource;
    /** The `detail` of a problem; absent for other responses. */
    readonly detail?: string;
    /** The milliseconds by which a rule delayed the answer. */
    readonly delay?: number;
    /** The fault with which a rule disturbed sending the answer. */
    readonly fault?: FaultKind;
    /** The names of the rules that applied. */
    readonly rules?: readonly string[];
    /** The seed of a generated body. */
    readonly seed?: number;
    /** The resource of an answer from state. */
    readonly resource?: string;
  };
  /** The violations of the request; empty if it is valid or wasn't checked. */
  readonly violations: readonly RequestViolation[];
}

/** Headers and body of a recorded request or response. */
export interface JournalMessage {
  readonly headers: HeaderList;
  /** The body after content decoding, or its beginning. Absent if there is no body, or if the server didn't read it. */
  readonly body?: Uint8Array;
  /** The length of the whole body in bytes, if `body` is only its beginning. */
  readonly bodyLength?: number;
}
