import type { Operation } from "../openapi/operation.ts";
import type { ResponseViolation } from "./validation/check_response.ts";
import type { RequestViolation } from "./validation/violation.ts";

/**
 * A request and its response, after both were checked. Reports count exchanges, and recordings make examples of them.
 */
export interface Exchange {
  /** The operation that the request is for; absent where no definition has the path and the method. */
  readonly operation?: Operation;
  /** The operation's path parameters, percent-decoded. Empty without an operation. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The request of the client. */
  readonly request: Message & {
    readonly method: string;
    /** The URL of the request, absolute, as the client wrote it. */
    readonly url: string;
  };
  /** The response of the upstream, also where the client got a problem instead; else that of the mock server. */
  readonly response: Message & {
    readonly status: number;
    /** Whether the response is an upstream's, and not the mock server's own. */
    readonly isUpstream: boolean;
  };
  /** The violations of the request; empty where it was valid or not checked. */
  readonly requestViolations: readonly RequestViolation[];
  /** The violations of the response; empty where it was valid or not checked. */
  readonly responseViolations: readonly ResponseViolation[];
  /** The reason why the response's body was not checked, as a sentence: `It has more than 10 MiB.` */
  readonly unchecked?: string;
  /**
   * The reason why the upstream has sent no complete response, as a sentence. Absent if it has sent one, if there is no
   * upstream, and if the client disconnected before.
   */
  readonly failure?: string;
}

/** Headers and body of a request or of a response. */
export interface Message {
  /** The headers of the message. */
  readonly headers: Headers;
  /**
   * The body without content coding, in bytes. Absent if the message has no body, if the body is longer than the limit
   * for copies, and if its transfer broke off.
   */
  readonly body?: Uint8Array;
}

/**
 * Takes each exchange once: if an upstream answers, after both bodies have passed; else when the response is ready.
 * Doesn't throw.
 */
export interface Observer {
  /** Takes an exchange. */
  (exchange: Exchange): void;
  /** Whether the observer needs no bodies: then only bodies that are checked are read. Default: `false`. */
  readonly ignoresBodies?: boolean;
}

/** Makes one observer that calls several; `undefined` if there are none. */
export function observeByAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  const observeAll = (exchange: Exchange): void => {
    for (const observe of observers) observe(exchange);
  };
  return Object.assign(observeAll, { ignoresBodies: observers.every(({ ignoresBodies }) => ignoresBodies === true) });
}
