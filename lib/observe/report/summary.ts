/**
 * The contents of a report: which requests a server got, how it responded, and the violations.
 *
 * @module
 */
import type { FirstExample } from "./first_example.ts";

/** The exchanges of a server, counted by operation. */
export interface Summary {
  /** All operations: first the current ones, in the order of the definitions, then those that a reload removed. */
  readonly operations: readonly OperationSummary[];
  /** Requests that match no operation, counted by method, path and status. */
  readonly unmatched: readonly UnmatchedSummary[];
  readonly totals: Totals;
  /** The reason why the upstream sent no complete response to the first request in `unanswered`, as a sentence. */
  readonly unansweredReason?: string;
}

export interface OperationSummary {
  readonly definition: string;
  readonly method: string;
  readonly path: string;
  /** Whether the definition no longer has the operation since it was reloaded. */
  readonly isRemoved: boolean;
  readonly requests: number;
  /** Sorted by status, then by media type. */
  readonly responses: readonly ResponseSummary[];
  /** The keys of the declared responses that no exchange had: `404`, `5XX`, `default`. */
  readonly unseen: readonly string[];
  /** Errors before warnings, and the most frequent first. */
  readonly violations: readonly ViolationSummary[];
  /** The number of errors that aren't counted in `violations`, because there are too many different ones. */
  readonly unlisted: number;
  /** The number of responses whose body wasn't checked. */
  readonly unchecked: number;
  /** The reason why the first body in `unchecked` wasn't checked, as a sentence. */
  readonly uncheckedReason?: string;
  /** The number of requests to which the upstream sent no complete response. They aren't counted in `responses`. */
  readonly unanswered: number;
  /** The reason for the first of the requests in `unanswered`, as a sentence. */
  readonly unansweredReason?: string;
}

export interface ResponseSummary {
  readonly status: number;
  /** Empty if the responses had no body. */
  readonly mediaType: string;
  readonly count: number;
}

/** Violations of the same rule at the same place, counted as one entry of a report. */
export interface ViolationSummary {
  readonly side: "request" | "response";
  readonly severity: "Error" | "Warning";
  readonly code: string;
  /** The place of the violation, with `*` for array indexes: `body.items.*.price`. */
  readonly location: string;
  readonly message: string;
  readonly count: number;
  readonly first: FirstExample;
}

/** Requests that match no operation, with the same method, path and status. */
export interface UnmatchedSummary {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly count: number;
}

/** Sums over all operations. */
export interface Totals {
  readonly operations: number;
  /** The number of operations that got a request. */
  readonly asked: number;
  readonly requests: number;
  /** The number of requests that match no operation. */
  readonly unmatched: number;
  /** The number of requests with an error. Requests that match no operation aren't counted. */
  readonly invalidRequests: number;
  /** The number of responses with an error. */
  readonly invalidResponses: number;
  /**
   * The number of requests to which the upstream sent no complete response, including those that match no operation.
   */
  readonly unanswered: number;
}

/** Whether a violation is an error. A message with only warnings isn't refused. */
export function isError({ severity }: Pick<ViolationSummary, "severity">): boolean {
  return severity === "Error";
}

/** Whether an operation has errors, including those that aren't listed. */
export function hasErrors({ violations, unlisted }: OperationSummary): boolean {
  return unlisted > 0 || violations.some(isError);
}

/** The command that a report is about, and when it ran. */
export interface Run {
  /** The command, such as `gw proxy`. */
  readonly command: string;
  /** The time of the start, by RFC 3339. */
  readonly started: string;
  readonly seconds: number;
}
