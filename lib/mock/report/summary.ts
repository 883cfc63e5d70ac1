/**
 * The contents of a report: the requests that a server got, its responses, and their violations.
 *
 * @module
 */
import type { Example } from "./first_example.ts";

/** The exchanges of a server, counted. */
export interface Summary {
  /** All operations: those of each definition in the order of its text, then those that a reload removed. */
  readonly operations: readonly OperationSummary[];
  /** Requests to no operation, counted by method, path and status. */
  readonly unmatched: readonly UnmatchedSummary[];
  readonly totals: Totals;
  /** Why the first request without a response of the upstream has none, as a sentence. */
  readonly unansweredReason?: string;
}

/** The exchanges of one operation. */
export interface OperationSummary {
  /** Name of the definition. */
  readonly definition: string;
  readonly method: string;
  /** Path template. */
  readonly path: string;
  /** Whether a reload removed the operation. */
  readonly isRemoved: boolean;
  readonly requests: number;
  /** By status, then media type. */
  readonly responses: readonly ResponseSummary[];
  /** The declared responses that weren't sent in any exchange: `404`, `5XX`, `default`. */
  readonly unseen: readonly string[];
  /** The most frequent first, errors before warnings. */
  readonly violations: readonly ViolationSummary[];
  /** How many errors aren't in `violations`, as there are too many different ones. */
  readonly unlisted: number;
  /** The responses whose body wasn't checked. */
  readonly unchecked: number;
  /** Why the first unchecked body wasn't checked, as a sentence. */
  readonly uncheckedReason?: string;
  /** The requests for which the upstream sent no complete response. They aren't counted in `responses`. */
  readonly unanswered: number;
  /** Why the first of these requests has no response, as a sentence. */
  readonly unansweredReason?: string;
}

/** The responses of an operation with the same status and media type. */
export interface ResponseSummary {
  readonly status: number;
  /** Empty without a body. */
  readonly mediaType: string;
  readonly count: number;
}

/** Equal violations at the same place: one entry of a report, with their number. */
export interface ViolationSummary {
  readonly side: "request" | "response";
  readonly severity: "Error" | "Warning";
  readonly code: string;
  /** The place, with `*` for the indexes of arrays: `body.items.*.price`. */
  readonly location: string;
  readonly message: string;
  readonly count: number;
  readonly first: Example;
}

/** Requests to no operation, with the same method, path and status. */
export interface UnmatchedSummary {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly count: number;
}

/** Counts over all operations. */
export interface Totals {
  readonly operations: number;
  /** The operations that got a request. */
  readonly asked: number;
  readonly requests: number;
  /** The requests to no operation. */
  readonly unmatched: number;
  /** The requests with an error; a request to no operation isn't counted here. */
  readonly invalidRequests: number;
  /** The responses with an error. */
  readonly invalidResponses: number;
  /** The requests for which the upstream sent no complete response, also those to no operation. */
  readonly unanswered: number;
}

/** Tells whether a violation is an error; a warning is no reason to refuse a message. */
export function isError({ severity }: Pick<ViolationSummary, "severity">): boolean {
  return severity === "Error";
}

/** Tells whether an operation has errors, listed or not. */
export function hasErrors({ violations, unlisted }: OperationSummary): boolean {
  return unlisted > 0 || violations.some(isError);
}

/** When a server ran, for reports. */
export interface Run {
  /** `gw proxy` */
  readonly command: string;
  /** RFC 3339 */
  readonly started: string;
  readonly seconds: number;
}
