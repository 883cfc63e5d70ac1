/**
 * A rule changes the answers of operations, or breaks them. Rules are plain JSON, described by the JSON Schema in
 * `rule_schema.ts`.
 *
 * @module
 */

/**
 * What a rule, or a step of its sequence, does at one application: the parts of the answer that it sets, its delay, and
 * its fault.
 */
export interface Outcome {
  /**
   * Status code of the answer, 200-599. Default: the status of the response with the example, else the operation's own.
   */
  readonly status?: number;
  /** Headers of the answer. They replace headers of the definition with the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The decoded body. It is encoded in the media type of the answer. */
  readonly body?: unknown;
  /** The name of an example of the definition. */
  readonly example?: string;
  /** The delay before the answer is sent. */
  readonly delay?: Delay;
  /** How sending the answer fails. */
  readonly fault?: FaultKind;
  /** For the fault `truncated`: the number of bytes of the body that are sent. Default: half of the body. */
  readonly bytes?: number;
  /** For the fault `slow`: bytes of the body sent per second. Default: 10. */
  readonly rate?: number;
}

/** An outcome for the requests of an operation that fulfil `match`, or for a share of them. */
export interface Rule extends Outcome {
  /**
   * The operations: a method and a path key of the definition (`GET /pets/{petId}`), or an `operationId`. `*` matches
   * every method and, in a path, any text: `* /pets*`, `* *`. A path with values instead of parameters matches requests
   * for this path: `GET /pets/7`.
   */
  readonly operation: string;
  /**
   * Required values of parts of the request, by `path.NAME`, `query.NAME`, `header.NAME`, `cookie.NAME`, `body` or
   * `body./POINTER`.
   */
  readonly match?: Readonly<Record<string, unknown>>;
  /** The probability with which the rule applies to a matching request, from 0 to 1. Default: 1. */
  readonly share?: number;
  /**
   * How often the rule applies. With a sequence: how often the whole sequence runs. Default: no limit; with a sequence:
   * once.
   */
  readonly times?: number;
  /** The outcomes of successive requests. After the last outcome, the rule no longer applies. */
  readonly sequence?: readonly Outcome[];
  /** Whether a rule is accepted even if its answer violates the definition. Default: `false`. */
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

/** How sending an answer can fail. */
export type FaultKind = "reset" | "empty" | "truncated" | "slow" | "time-out";

/** A fault with its parameters. */
export type Fault =
  /** The connection is reset without an answer. */
  | { readonly kind: "reset" }
  /** The connection is closed without an answer. */
  | { readonly kind: "empty" }
  /** The headers and the first `bytes` of the body are sent; then the connection is closed. */
  | { readonly kind: "truncated"; readonly bytes: number | undefined }
  /** The body is sent slowly, at `rate` bytes per second. */
  | { readonly kind: "slow"; readonly rate: number }
  /** Nothing is sent until the client disconnects. */
  | { readonly kind: "time-out" };

/** Limit of the steps of a sequence. */
export const MOST_STEPS = 1_000;

/** Limit of the faults of an operation in its settings. All operations have those of the root. */
export const MOST_FAULTS = 100;

/** Bytes per second of a slow body, if the rule has no `rate`. */
export const DEFAULT_RATE = 10;

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

/** Whether an outcome's fault keeps the whole answer from the client. The operation then changes no state either. */
export function sendsNothing({ fault }: Outcome): boolean {
  return fault !== undefined && fault !== "truncated" && fault !== "slow";
}

/** Whether an outcome changes what is sent. Other outcomes only delay the operation's own answer. */
export function decidesAnswer({ status, headers, body, example, fault }: Outcome): boolean {
  return status !== undefined || headers !== undefined || body !== undefined || example !== undefined ||
    fault !== undefined;
}
