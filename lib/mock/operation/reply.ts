import type { Operation, OperationNames } from "../../openapi/operation.ts";
import { type Answer, type AnswerSource, responseInit } from "../answer/answer.ts";
import type { CallbackPlan } from "../callback/callback.ts";
import type { Observer } from "../../observe/exchange.ts";
import type { Fault } from "../../openapi/extension/rule.ts";
import type { ResponseViolation } from "../validation/check_response.ts";
import type { Validation } from "../validation/validate_request.ts";
import type { Bytes, HeaderList } from "../../http/handler.ts";
import { type Problem, PROBLEM_MEDIA_TYPE, problemResponse } from "../../http/problem.ts";
import { giveAnswer, isDirect } from "../../http/direct.ts";
import { withCors } from "../answer/cors.ts";

/** The result for one request: the response, with what the log, the journal and the callbacks need. */
export interface Reply {
  readonly response: Response;
  /** The operation that the request matches; absent if there is none. */
  readonly operation?: Operation;
  /** Media type of the body; empty if there is no body. */
  readonly mediaType: string;
  readonly source: AnswerSource;
  /** The detail of the problem, if the body is a problem. */
  readonly detail?: string | undefined;
  /** The result of the request's check; absent if the request wasn't checked. */
  readonly validation?: Validation | Promise<Validation> | undefined;
  /** Remarks for the log about preferences that weren't honoured. */
  readonly remarks?: readonly string[] | undefined;
  /** Remarks for the log that are known only when an upstream's response has ended. */
  readonly late?: Promise<readonly string[]> | undefined;
  /**
   * The requests of the operation's callbacks. Absent if the operation has no callbacks, if the option `callbacks` is
   * off, or if the response is an error (4xx, 5xx).
   */
  readonly callbacks?: Promise<CallbackPlan[]> | undefined;
  /**
   * Validates the examples in the response, for the log; call it after the response is sent. Absent if there is nothing
   * to validate, or if an earlier reply with the same answer had this function.
   */
  readonly checkExamples?: (() => Promise<ResponseViolation[]>) | undefined;
  /** Whether the log leaves the request out, as those of an open console, which asks each second. Default: no. */
  readonly isUnlogged?: boolean | undefined;
  /** What only the journal needs; absent for gw's own endpoints, which aren't recorded. */
  readonly details?: ReplyDetails | undefined;
  /** Milliseconds before the response is sent. Default: 0. */
  readonly delay?: number | undefined;
  /** The fault with which the response is sent. Default: none. */
  readonly fault?: Fault | undefined;
  /**
   * Tells the journal after how many milliseconds the response was sent, or its connection broken. Absent unless the
   * reply has a delay or a fault.
   */
  readonly delivered?: ((milliseconds: number) => void) | undefined;
}

/** What the journal stores besides the request and the response. */
export interface ReplyDetails {
  /** The operation's path parameters. Default: none. */
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly answer?: Answer;
  /** The names of the operation. Default: taken from the operation. */
  readonly operation?: OperationNames;
  /** The body of the request after content decoding, if the server read it. */
  readonly sent?: Uint8Array | undefined;
  /** The names of the rules that applied. Default: none. */
  readonly rules?: readonly string[] | undefined;
}

export function replyWith(request: Request, answer: Answer, sending: SendOptions, operation?: Operation): Reply {
  const { mediaType, source, detail } = answer;
  const reply = { response: send(request, answer, sending), mediaType, source, detail };
  return operation === undefined ? reply : { ...reply, operation };
}

/** Makes a reply from a problem (RFC 9457), without CORS headers. The log gets the problem's detail, too. */
export function problemReply(problem: Problem, headers: HeaderList = []): Reply {
  const { detail } = problem;
  return { response: problemResponse(problem, headers), mediaType: PROBLEM_MEDIA_TYPE, source: "problem", detail };
}

export function upstreamReply(response: Response, operation?: Operation): Reply {
  const reply = { response, mediaType: response.headers.get("content-type") ?? "", source: "upstream" };
  return operation === undefined ? reply : { ...reply, operation };
}

/** Passes the exchange of a mocked reply to an observer, once the request has been checked. Returns the reply. */
export function observeReply(observe: Observer | undefined, request: Request, reply: Reply): Reply {
  if (observe === undefined) return reply;
  const { operation, validation, response: { status, headers }, details = {} } = reply;
  const { pathParameters = {}, answer, sent } = details;
  const { method, url } = request;
  const body = answer?.body instanceof Uint8Array ? answer.body : undefined;
  const tell = (checked: Validation | undefined): void =>
    observe({
      ...operation === undefined ? {} : { operation },
      pathParameters,
      request: { method, url, headers: request.headers, ...sent === undefined ? {} : { body: sent } },
      response: { status, headers, isUpstream: false, ...body === undefined ? {} : { body } },
      requestViolations: checked?.violations ?? [],
      responseViolations: [],
    });
  // The caller of the reply reports an error of the check; the observer then gets no violations.
  if (validation instanceof Promise) void validation.then(tell, () => tell(undefined));
  else tell(validation);
  return reply;
}

export interface SendOptions {
  /** Whether pages of other origins may read the answers. */
  readonly cors: boolean;
  /** Waits between the chunks of a body that is sent item by item. */
  readonly pause: () => Promise<void>;
  /** Whether a page of another site sent a request: it may not read files of this machine. */
  readonly isForeign: (request: Request) => boolean;
}

/** Makes the response to a request: without a body for HEAD, and with CORS headers for the request's `Origin`. */
export function send(request: Request, answer: Answer, { cors, pause, isForeign }: SendOptions): Response {
  const asked = cors ? request.headers.get("origin") : null;
  const isFile = answer.origin?.example?.isExternal === true;
  const origin = asked !== null && isFile && isForeign(request) ? null : asked;
  const init = origin !== null
    ? responseInit(answer.status, withCors(answer.headers, origin))
    : cors
    ? answer.sharedInit
    : answer.init;
  const { body, text } = answer;
  // A server that takes whole answers leaves the body out for HEAD.
  if (isDirect(request) && origin === null && (body === null || body instanceof Uint8Array)) {
    return giveAnswer(request, init, body);
  }
  if (request.method === "HEAD") return new Response(null, withLength(init, body));
  if (text !== undefined) return new Response(text, init);
  return new Response(body === null || body instanceof Uint8Array ? body : streamOf(body, pause), init);
}

/** A response to HEAD has the `Content-Length` that GET would have (RFC 9110, section 8.6), unless the definition tells it. */
function withLength(init: ResponseInit, body: Answer["body"]): ResponseInit {
  if (!(body instanceof Uint8Array)) return init;
  const headers = new Headers(init.headers);
  if (!headers.has("content-length")) headers.set("content-length", String(body.length));
  return { ...init, headers };
}

function streamOf(chunks: readonly Bytes[], pause: () => Promise<void>): ReadableStream<Bytes> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      if (next > 0) await pause();
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
