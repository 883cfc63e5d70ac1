/**
 * A rule: what an operation answers instead of its own answer, as plain JSON. Its JSON Schema is in `rule_schema.ts`.
 *
 * @module
 */

/** The parts of an answer that a rule or a step of its sequence sets, and when and how the answer is sent. */
export interface Outcome {
  /** Status code of the answer, 200-599. Default: that of the example, else the operation's own. */
  readonly status?: number;
  /** Headers of the answer, added to those of the definition, or instead of those of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, as a value that is written in the media type of the answer. */
  readonly body?: unknown;
  /** The name of an example of the definition. */
  readonly example?: string;
  /** The time before the answer is sent. */
  readonly delay?: Delay;
  /** What goes wrong while the answer is sent. */
  readonly fault?: FaultKind;
  /** With the fault `truncated`: the bytes of the body that are sent. Default: half of it. */
  readonly bytes?: number;
  /** With the fault `slow`: bytes of the body in each second. Default: 10. */
  readonly rate?: number;
}

/** A rule. Of the operation's requests, it applies to those that fulfil `match`, and among them to a share. */
export interface Rule extends Outcome {
  /**
   * The operations: a method and a path as the definition writes it (`GET /pets/{petId}`), or an `operationId`. `*`
   * stands for every method; in a path it stands for any text: `* /pets*`, `* *`. A path without variables means its
   * requests only: `GET /pets/7`.
   */
  readonly operation: string;
  /** Conditions on the request, by `path.NAME`, `query.NAME`, `header.NAME`, `cookie.NAME`, `body` or `body./POINTER`. */
  readonly match?: Readonly<Record<string, unknown>>;
  /** The share of the requests that the rule applies to, from 0 to 1. Default: 1. */
  readonly share?: number;
  /** The number of times that the rule applies. With a sequence: how often it runs. Default: no limit; a sequence: 1. */
  readonly times?: number;
  /** The outcomes of one request after the other. After the last, the rule no longer applies. */
  readonly sequence?: readonly Outcome[];
  /** Whether the rule is taken although its answer doesn't fit the definition. Default: `false`. */
  readonly force?: boolean;
}

/**
 * A delay in milliseconds: a number, a uniform distribution from `min` to `max`, or a log-normal distribution by its
 * median and the standard deviation of the logarithm.
 */
export type Delay =
  | number
  | { readonly min: number; readonly max: number }
  | { readonly median: number; readonly sigma: number; readonly max?: number };

/** What may go wrong while an answer is sent. */
export type FaultKind = "reset" | "empty" | "truncated" | "slow" | "time-out";

/** A fault, with its measures. */
export type Fault =
  /** The connection is reset, without an answer. */
  | { readonly kind: "reset" }
  /** The connection is closed, without an answer. */
  | { readonly kind: "empty" }
  /** The headers are sent, and so many bytes of the body; then the connection is closed. */
  | { readonly kind: "truncated"; readonly bytes: number | undefined }
  /** The body is sent slowly, so many bytes in each second. */
  | { readonly kind: "slow"; readonly rate: number }
  /** Nothing is sent until the client goes away. */
  | { readonly kind: "time-out" };

/** The bytes of a slow body in each second, where the rule doesn't say. */
export const DEFAULT_RATE = 10;

/** The fault of an outcome, with its measures. */
export function faultOf({ fault, bytes, rate = DEFAULT_RATE }: Outcome): Fault | undefined {
  switch (fault) {
    case undefined:
      return undefined;
    case "truncated":
      return { kind: fault, bytes };
    case "slow":
      return { kind: fault, rate };
    default:
      return { kind: fault };
  }
}

/** Whether an outcome keeps the whole answer from the client: then the operation isn't carried out either. */
export function sendsNothing({ fault }: Outcome): boolean {
  return fault !== undefined && fault !== "truncated" && fault !== "slow";
}

/** Whether an outcome decides what is sent; else it only delays the operation's own answer. */
export function decidesAnswer({ status, headers, body, example, fault }: Outcome): boolean {
  return status !== undefined || headers !== undefined || body !== undefined || example !== undefined ||
    fault !== undefined;
}
