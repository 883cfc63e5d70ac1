/**
 * A rule changes the answers of operations, or breaks them. Rules are plain JSON, described by the JSON Schema in
 * `rule_schema.ts`.
 *
 * @module
 */

/**
 * What a rule, or a step of its sequence, does: the parts of the answer that it sets, and when and how the answer is
 * sent.
 */
export interface Outcome {
  /**
   * Status code of the answer, 200-599. Default: the status of the response that has the example, else the operation's
   * own.
   */
  readonly status?: number;
  /** Headers of the answer. They are added to those of the definition, and replace those of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as a value. It is encoded in the media type of the answer. */
  readonly body?: unknown;
  /** The name of an example of the definition. */
  readonly example?: string;
  /** The delay before the answer is sent. */
  readonly delay?: Delay;
  /** The way in which sending the answer fails. */
  readonly fault?: FaultKind;
  /** For the fault `truncated`: how many bytes of the body are sent. Default: half of the body. */
  readonly bytes?: number;
  /** For the fault `slow`: bytes of the body sent per second. Default: 10. */
  readonly rate?: number;
}

/** An outcome for an operation's requests that fulfil `match`, or for a share of these. */
export interface Rule extends Outcome {
  /**
   * The operations: a method and a path as in the definition (`GET /pets/{petId}`), or an `operationId`. `*` matches
   * every method, and in a path any text: `* /pets*`, `* *`. A path with values instead of variables means requests for
   * this path: `GET /pets/7`.
   */
  readonly operation: string;
  /**
   * Values that parts of the request must have, by `path.NAME`, `query.NAME`, `header.NAME`, `cookie.NAME`, `body` or
   * `body./POINTER`.
   */
  readonly match?: Readonly<Record<string, unknown>>;
  /** The probability with which the rule applies to a matching request, from 0 to 1. Default: 1. */
  readonly share?: number;
  /**
   * How often the rule applies; with a sequence: how often the whole sequence runs. Default: no limit; a sequence:
   * once.
   */
  readonly times?: number;
  /** The outcomes of successive requests. After the last one, the rule no longer applies. */
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

/** The ways in which sending an answer can fail. */
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

/** Bytes per second of a slow body, where the rule gives no `rate`. */
export const DEFAULT_RATE = 10;

/** The fault of an outcome, with its parameters. */
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

/** Whether an outcome's fault keeps the whole answer from the client. Then the operation changes no state either. */
export function sendsNothing({ fault }: Outcome): boolean {
  return fault !== undefined && fault !== "truncated" && fault !== "slow";
}

/** Whether an outcome changes what is sent. Others only delay the operation's own answer. */
export function decidesAnswer({ status, headers, body, example, fault }: Outcome): boolean {
  return status !== undefined || headers !== undefined || body !== undefined || example !== undefined ||
    fault !== undefined;
}
