import type { Operation } from "../openapi/operation.ts";
import type { ResponseViolation } from "../mock/validation/check_response.ts";
import type { RequestViolation } from "../mock/validation/violation.ts";

/**
 * A request and its response, after both were checked. Reports count exchanges, and recordings make examples of them.
 */
export interface Exchange {
  /** The operation of the request; absent if no definition has the path and method. */
  readonly operation?: Operation;
  /** The operation's path parameters, percent-decoded. Empty without an operation. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The request of the client. */
  readonly request: Message & {
    readonly method: string;
    /** The absolute URL of the request, as the client wrote it. */
    readonly url: string;
  };
  /**
   * The response of the upstream, even if the client got a problem instead; without an upstream, the response of the
   * mock server.
   */
  readonly response: Message & {
    readonly status: number;
    /** Whether an upstream sent the response, not the mock server. */
    readonly isUpstream: boolean;
  };
  /** The violations of the request; empty if it is valid or wasn't checked. */
  readonly requestViolations: readonly RequestViolation[];
  /** The violations of the response; empty if it is valid or wasn't checked. */
  readonly responseViolations: readonly ResponseViolation[];
  /** Why the response's body wasn't checked, as a sentence: `It has more than 10 MiB.` */
  readonly unchecked?: string;
  /**
   * Why the upstream sent no complete response, as a sentence. Absent if it did, if there is no upstream, or if the
   * client disconnected before.
   */
  readonly failure?: string;
}

/** Headers and body of a request or of a response. */
export interface Message {
  /** The headers of the message. */
  readonly headers: Headers;
  /**
   * The body after content decoding. Absent if the message has no body, if the body exceeds the limit for copies, or if
   * its transfer broke off.
   */
  readonly body?: Uint8Array;
}

/**
 * Receives each exchange once: when both bodies of an upstream's exchange have passed, or when a mocked response is
 * ready. Must not throw.
 */
export interface Observer {
  /** Receives an exchange. */
  (exchange: Exchange): void;
  /** Whether the observer needs no bodies. Bodies are then only read if they are checked. Default: `false`. */
  readonly ignoresBodies?: boolean;
}

/** Combines observers into one; `undefined` if there are none. */
export function observeByAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  const observeAll = (exchange: Exchange): void => {
    for (const observe of observers) observe(exchange);
  };
  return Object.assign(observeAll, { ignoresBodies: observers.every(({ ignoresBodies }) => ignoresBodies === true) });
}
