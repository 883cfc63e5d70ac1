import type { Bytes } from "../handler.ts";
import type { Problem } from "../problem.ts";

/** A request to another server. */
export interface UpstreamRequest {
  readonly method: string;
  readonly headers: [name: string, value: string][];
  readonly body: ReadableStream<Bytes> | Bytes | null;
  /** Milliseconds within which the head of the response must arrive; 0 for no limit. */
  readonly headTimeout: number;
  /**
   * Milliseconds that may pass between two chunks of a body, in either direction, and between the end of the request and
   * the head of the response; 0 for no limit.
   */
  readonly idleTimeout: number;
  /** Milliseconds that may pass between two chunks of the request's body; 0 for no limit. Default: `idleTimeout`. */
  readonly uploadTimeout?: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * The result of sending a request to another server. Each `reason` is for the log only, since it may name addresses.
 */
export type UpstreamOutcome =
  | {
    readonly kind: "answered";
    readonly response: Response;
    /** The bytes of the body, if the whole body has arrived. With them, the body of `response` need not be read. */
    readonly bytes?: Bytes | null;
  }
  /** No connection could be made, so the server has received nothing. */
  | { readonly kind: "unreachable"; readonly reason: string }
  /** The connection was lost, or the response isn't valid HTTP/1.1. */
  | { readonly kind: "broken"; readonly reason: string }
  /** The request can't be written as HTTP/1.1, so nothing was sent. */
  | { readonly kind: "unsendable"; readonly reason: string }
  /** The head of the response hasn't arrived within `headTimeout`, or the upstream was silent for `idleTimeout`. */
  | { readonly kind: "timeout" }
  /** The client sent a part of the request's body, and then nothing for `uploadTimeout`. */
  | { readonly kind: "silence" }
  /** The client has disconnected. */
  | { readonly kind: "gone" };

/**
 * Sends a request to another server. A redirect is returned, not followed. A failure is returned as an outcome, not
 * thrown.
 */
export type Send = (url: string, request: UpstreamRequest) => Promise<UpstreamOutcome>;

/** A failed request to another server. */
export interface UpstreamFailure {
  /** The problem for the client. It names no address, because clients shouldn't learn where upstreams are. */
  readonly problem: Problem;
  /** The reason for the log. It may name addresses. */
  readonly reason: string;
}

/** The timeouts of a request to another server. */
export type UpstreamTimeouts = Pick<UpstreamRequest, "headTimeout" | "idleTimeout" | "uploadTimeout">;

/**
 * The most milliseconds in which nothing of a request or response is passed on, unless a setting says otherwise; that of
 * Envoy. Such bodies take no memory, so the limit is longer than for one that is read whole.
 */
export const LONGEST_SILENCE = 300_000;

/** Makes the problem and the log's reason for a request to another server that got no response. */
export function failureOf(
  outcome: Exclude<UpstreamOutcome, { kind: "answered" }>,
  { headTimeout, idleTimeout, uploadTimeout = idleTimeout }: UpstreamTimeouts,
): UpstreamFailure {
  switch (outcome.kind) {
    case "unreachable":
      return failure(502, "Bad Gateway", "The upstream can't be reached.", outcome.reason);
    case "broken":
      return failure(502, "Bad Gateway", "The upstream has sent no complete and valid response.", outcome.reason);
    case "unsendable":
      return failure(400, "Bad Request", "The request can't be sent on as HTTP/1.1.", outcome.reason);
    case "timeout":
      return failure(
        504,
        "Gateway Timeout",
        `The upstream has not answered within ${Math.min(headTimeout || Infinity, idleTimeout || Infinity) / 1000} s.`,
      );
    case "silence":
      return failure(408, "Request Timeout", `The body of the request has not gone on for ${uploadTimeout / 1000} s.`);
    case "gone":
      return failure(502, "Bad Gateway", "The client has disconnected.");
  }
}

function failure(status: number, title: string, detail: string, reason = detail): UpstreamFailure {
  return { problem: { title, status, detail }, reason };
}
