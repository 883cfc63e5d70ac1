/**
 * Sends requests to an upstream and returns its responses. Both are checked against the definition.
 *
 * @module
 */
import type { UnreadBodyError } from "../../http/limits/body_limits.ts";
import type { Forwarded, Forwarder } from "../../http/forward.ts";
import type { Bytes, Handler } from "../../http/handler.ts";
import { problemResponse } from "../../http/problem.ts";
import { failureOf } from "../../http/url/upstream.ts";
import type { Operation } from "../../openapi/operation.ts";
import { VIOLATIONS_HEADER } from "../../mock/validation/error_response.ts";
import type { Observer } from "../exchange.ts";
import type { RequestTarget, Validation } from "../../mock/validation/validate_request.ts";
import type { Contract, ContractOf } from "./contract.ts";
import { exchangeOf } from "./exchange_of.ts";
import type { RelayResources } from "./limits.ts";
import { brokeOff, type CheckedResponse, receiveResponse } from "./receive_response.ts";
import { type CheckedRequest, type ReadRequest, readRequest } from "./send_request.ts";
import { invalidResponse, violationsLine } from "./report_violations.ts";

/** The configuration of a relay, and what its exchanges share. */
export interface Relay extends RelayResources {
  readonly upstream: Handler | Forwarder;
  /** Returns the validators of an operation; `undefined` if nothing is checked. */
  readonly contractOf: ContractOf | undefined;
  /** Whether invalid requests are refused, and invalid responses replaced by a problem (`error` mode). */
  readonly refuses: boolean;
  readonly observe: Observer | undefined;
}

/** A request for the upstream. */
export interface RelayedRequest {
  readonly request: Request;
  /** `undefined` if no definition has the path and the method. */
  readonly operation: Operation | undefined;
  readonly target: RequestTarget;
}

/** The result of relaying a request. */
export type Relayed =
  | Returned
  /** The request is invalid, and wasn't sent to the upstream. */
  | { readonly kind: "refused"; readonly checked: CheckedRequest };

/** The response to a request that was sent to the upstream. */
export interface Returned {
  readonly kind: "relayed";
  readonly response: Response;
  /** Whether the response came from the upstream. Otherwise a problem replaces it. */
  readonly isUpstream: boolean;
  /** The detail of the problem that replaces the upstream's response. */
  readonly detail?: string | undefined;
  readonly validation?: Validation | undefined;
  /** Sentences for the log. */
  readonly remarks: readonly string[];
  /** Resolves when the bodies were passed on, with further sentences for the log. */
  readonly late?: Promise<readonly string[]>;
}

/** Checks a request, sends it to the upstream, and checks the response. */
export async function relay(relay: Relay, relayed: RelayedRequest): Promise<Relayed> {
  const { request, operation, target } = relayed;
  const { refuses, contractOf, observe } = relay;
  if (operation === undefined || (contractOf === undefined && observe === undefined)) return await pass(relay, relayed);
  const contract = await contractOf?.(operation);
  const keepsBody = keepsBodies(observe);
  const { decoding } = relay;
  const outgoing = { request, target, validator: contract?.requests, refuses, keepsBody, decoding };
  const read = await readRequest(outgoing, relay);
  if (read.kind === "gone") return gone(relay, relayed);
  if (read.kind === "unread") return unread(relay, relayed, read.error);
  const { checked } = read;
  if (refuses && !(checked instanceof Promise) && checked.validation.error !== undefined) {
    cancel(read.body);
    return { kind: "refused", checked };
  }
  const forwarded = await forward(relay.upstream, request, read.body);
  // If the upstream can't be reached, nobody has read the body's stream: cancel it, to release its source.
  if (!forwarded.isUpstream) cancel(read.body);
  return await returnResponse(relay, { ...relayed, operation }, contract, read, forwarded);
}

function cancel(body: Bytes | ReadableStream<Bytes> | null | undefined): void {
  if (body instanceof ReadableStream && !body.locked) void body.cancel().catch(() => {});
}

function keepsBodies(observe: Observer | undefined): boolean {
  return observe !== undefined && observe.ignoresBodies !== true;
}

/** Sends a request to the upstream without reading its body. */
export async function pass({ upstream, observe }: Relay, relayed: RelayedRequest): Promise<Returned> {
  const { response, isUpstream, failure } = await forward(upstream, relayed.request, undefined);
  observe?.(exchangeOf(relayed, response, { isUpstream, response: { violations: [], failure } }));
  return { kind: "relayed", response, isUpstream, remarks: failure === undefined ? [] : [failure] };
}

/**
 * The result if the client disconnected before the body of its request was read. Nothing is sent to the upstream. The
 * response is only for observers and the log.
 */
function gone({ observe }: Relay, relayed: RelayedRequest): Returned {
  const { problem } = failureOf({ kind: "gone" }, { headTimeout: 0, idleTimeout: 0 });
  const response = problemResponse(problem);
  observe?.(exchangeOf(relayed, response, { isUpstream: false }));
  return { kind: "relayed", response, isUpstream: false, detail: problem.detail, remarks: [] };
}

/** The result if the body of a request wasn't read to its end. Nothing is sent to the upstream. */
function unread({ observe }: Relay, relayed: RelayedRequest, { problem, headers }: UnreadBodyError): Returned {
  const response = problemResponse(problem, headers);
  observe?.(exchangeOf(relayed, response, { isUpstream: false }));
  return { kind: "relayed", response, isUpstream: false, detail: problem.detail, remarks: [] };
}

async function forward(
  upstream: Handler | Forwarder,
  request: Request,
  body: Bytes | ReadableStream<Bytes> | undefined,
): Promise<Forwarded> {
  if ("forward" in upstream) return await upstream.forward(request, body);
  const { url, method, headers, redirect, signal } = request;
  // Don't use `new Request(request, …)`: for a request below the base path of a session, it would restore the original
  // URL.
  const sent = body === undefined ? request : new Request(url, { method, headers, redirect, signal, body, ...DUPLEX });
  return { response: await upstream(sent), isUpstream: true };
}

/** `RequestInit.duplex`: the Fetch Standard requires it for a request whose body is a stream. */
const DUPLEX = { duplex: "half" };

/** Checks the upstream's response, and decides whether the client gets it or a problem instead. */
async function returnResponse(
  relay: Relay,
  relayed: RelayedRequest & { readonly operation: Operation },
  contract: Contract | undefined,
  read: ReadRequest,
  forwarded: Forwarded,
): Promise<Returned> {
  const { request, operation } = relayed;
  const { refuses } = relay;
  if (!forwarded.isUpstream) {
    const { response, failure } = forwarded;
    const known = { violations: [], failure };
    return finish(relay, relayed, read, { response, sent: response, isUpstream: false, known });
  }
  const keepsBody = keepsBodies(relay.observe);
  const validator = contract?.responses;
  const { decoding } = relay;
  const received = await receiveResponse({ ...forwarded, request, validator, refuses, keepsBody, decoding }, relay);
  if (received.kind === "broken") {
    const detail = brokeOff(received.reason);
    const response = problemResponse({ title: "Bad Gateway", status: 502, detail });
    return finish(relay, relayed, read, { ...received, response, sent: response, isUpstream: false });
  }
  const { known, response } = received;
  if (refuses && known.violations.length > 0) {
    cancel(response.body);
    const problem = invalidResponse(operation, response.status, known.violations);
    return finish(relay, relayed, read, { known, response, sent: problemResponse(problem), isUpstream: true });
  }
  return finish(relay, relayed, read, { ...received, sent: response, isUpstream: true });
}

interface ClientResponse {
  /** The upstream's response, or the problem that says why there is none. Observers get this response. */
  readonly response: Response;
  /** The response that is sent to the client. */
  readonly sent: Response;
  readonly isUpstream: boolean;
  readonly known?: CheckedResponse;
  readonly late?: Promise<CheckedResponse>;
}

/**
 * Reports the results of the checks. The client gets the violations that are known now, in a header. The log gets the
 * same, and later the violations of bodies that are still being passed on. The observer is called once, when all
 * violations are known.
 */
async function finish(
  { contractOf, observe }: Relay,
  relayed: RelayedRequest,
  read: ReadRequest,
  { response, sent, isUpstream, known = NO_CHECK, late: lateAnswer }: ClientResponse,
): Promise<Returned> {
  const checkedRequest = read.isRead() ? await read.checked : read.checked;
  const request = checkedRequest instanceof Promise ? undefined : checkedRequest;
  const answer = lateAnswer === undefined ? known : undefined;
  // Copy the headers for the observer, who gets them as the upstream sent them: the header with the violations is added
  // to the original below.
  const head = {
    status: response.status,
    headers: observe === undefined ? response.headers : new Headers(response.headers),
  };
  const isReturned = isUpstream && sent === response;
  const returned = {
    kind: "relayed",
    response: contractOf !== undefined && isReturned
      ? withViolationsHeader(response, [...request?.validation.violations ?? [], ...known.violations])
      : sent,
    isUpstream: isReturned,
    validation: request?.validation,
    remarks: [...request?.remarks ?? [], ...responseRemarks(known)],
  } as const;
  if (request !== undefined && answer !== undefined) {
    observe?.(exchangeOf(relayed, head, { isUpstream, request, response: answer }));
    return returned;
  }
  const late = Promise.all([checkedRequest, lateAnswer ?? known]).then(([lateRequest, lateResponse]) => {
    observe?.(exchangeOf(relayed, head, { isUpstream, request: lateRequest, response: lateResponse }));
    return [
      ...request === undefined ? requestRemarks(lateRequest) : [],
      ...answer === undefined ? responseRemarks(withoutKnown(lateResponse, known)) : [],
    ];
  });
  return { ...returned, late };
}

const NO_CHECK: CheckedResponse = Object.freeze({ violations: [] });

/**
 * Sets the header that reports violations. If there are none, deletes a header of that name from the upstream, since it
 * would look like gw's own.
 */
function withViolationsHeader(response: Response, violations: readonly { readonly message: string }[]): Response {
  if (violations.length === 0 && !response.headers.has(VIOLATIONS_HEADER)) return response;
  const returned = withMutableHeaders(response);
  if (violations.length > 0) returned.headers.set(VIOLATIONS_HEADER, violationsLine(violations));
  else returned.headers.delete(VIOLATIONS_HEADER);
  return returned;
}

/** A response with mutable headers. The headers of a response from `fetch()` are immutable, so it is copied. */
function withMutableHeaders(response: Response): Response {
  try {
    response.headers.delete(VIOLATIONS_HEADER);
    return response;
  } catch {
    const { body, status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }
}

/** The results of a check that weren't known before. The known violations, those of the head, are the first. */
function withoutKnown({ violations, ...rest }: CheckedResponse, known: CheckedResponse): CheckedResponse {
  return { ...rest, violations: violations.slice(known.violations.length) };
}

function requestRemarks({ validation, remarks }: CheckedRequest): string[] {
  return [...remarks, ...validation.violations.map(({ message }) => message)];
}

function responseRemarks({ violations, unchecked, failure }: CheckedResponse): string[] {
  const messages = violations.map(({ message }) => message);
  if (failure !== undefined) return [...messages, failure];
  return unchecked === undefined ? messages : [...messages, `The body of the response went unchecked. ${unchecked}`];
}
