/**
 * Sends requests to upstreams by undici, whose HTTP parser is strict.
 *
 * @module
 */
import type { IncomingHttpHeaders } from "node:http";
import { enterFast, type Leave } from "./fast_uploads.ts";
import { type Dispatcher, errors } from "undici";
import { isIdempotent } from "../../../lib/http/method.ts";
import type { Bytes } from "../../../lib/http/handler.ts";
import type { Send, UpstreamOutcome, UpstreamRequest } from "../../../lib/http/url/upstream.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { createDownload, type Download } from "./download.ts";
import { createDispatchers } from "./proxies.ts";
import { endsWithHead, findError, headersOf } from "./response_head.ts";
import { createUpload } from "./upload.ts";

/** Sends requests to upstreams over persistent connections. */
export interface UpstreamClient extends AsyncDisposable {
  readonly send: Send;
}

/** The number of informational responses (1xx) before the final one; more are an error. */
const MOST_INFORMATIONAL = 100;

/**
 * Milliseconds for which the head of a response is held back. If undici's parser finds an error meanwhile, the client
 * gets a 502.
 */
const HOLD_TIME = 10;

/** Matches characters that must be percent-encoded in a request target, such as a space or `#`. */
const NOT_PLAIN = /[^\x21\x22\x24-\x7e]+/g;

/**
 * Creates a client.
 *
 * @param env Environment variables, which may name an HTTP proxy: `HTTPS_PROXY`.
 */
export function createUpstreamClient(env: (name: string) => string | undefined): UpstreamClient {
  const dispatchers = createDispatchers(env);
  return { send, [Symbol.asyncDispose]: dispatchers.close };

  async function send(url: string, request: UpstreamRequest): Promise<UpstreamOutcome> {
    if (request.signal.aborted) return { kind: "gone" };
    const start = url.indexOf("/", url.indexOf("://") + 3);
    const origin = start === -1 ? url : url.slice(0, start);
    const path = start === -1 ? "/" : url.slice(start).replace(NOT_PLAIN, percentEncoded);
    const dispatcher = dispatchers.for(origin);
    const { body, headTimeout, signal } = request;
    let leave: Leave | undefined;
    if (body instanceof ReadableStream && !isShort(request)) {
      leave = await enterFast(headTimeout, signal);
      if (leave === undefined) return { kind: signal.aborted ? "gone" : "timeout" };
    }
    const sent = await sendOnce(dispatcher, origin, path, request, leave);
    // The upstream may close an idle connection at the moment when a request is sent on it (RFC 9112, section 9.3.1).
    // Then an idempotent request is repeated, unless its body was a stream.
    const mayRepeat = sent.isStale && isIdempotent(request.method) && !(request.body instanceof ReadableStream);
    return (mayRepeat ? await sendOnce(dispatcher, origin, path, request) : sent).outcome;
  }
}

/** The outcome of a request, and whether the upstream may have closed the connection before it read the request. */
interface Sent {
  readonly outcome: UpstreamOutcome;
  readonly isStale: boolean;
}

/** @param leave Ends the upload of the body as a fast one. */
function sendOnce(
  dispatcher: Dispatcher,
  origin: string,
  path: string,
  request: UpstreamRequest,
  leave?: Leave,
): Promise<Sent> {
  const { method, headers, body, headTimeout, idleTimeout, uploadTimeout = idleTimeout, signal } = request;
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const upload = body instanceof ReadableStream ? createUpload(body, uploadTimeout, leave) : undefined;
  let isSettled = false;
  let controller: Dispatcher.DispatchController | undefined;
  let head: { status: number; headers: [name: string, value: string][] } | undefined;
  let download: Download | undefined;
  let hasBegun = false;
  let informational = 0;
  let holdTimer: ReturnType<typeof setTimeout> | undefined;

  const timer = headTimeout > 0 ? setTimeout(() => giveUp({ kind: "timeout" }), headTimeout) : undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  if (idleTimeout > 0 && !(headTimeout > 0 && headTimeout <= idleTimeout)) awaitHead(idleTimeout);
  signal.addEventListener("abort", onAbort);
  const options: Dispatcher.DispatchOptions = {
    origin,
    path,
    method,
    headers: headers.flat(),
    body: body instanceof Uint8Array ? body : null,
    // Disable undici's limit, which doesn't include the time to connect. The timer above does.
    headersTimeout: 0,
    bodyTimeout: Math.ceil(idleTimeout),
    ...origin.startsWith("https:") ? { servername: serverNameOf(origin) } : {},
  };
  try {
    // undici accepts iterables too; its types don't say so.
    dispatcher.dispatch(upload === undefined ? options : Object.assign(options, { body: upload.chunks }), {
      onRequestStart,
      onResponseStarted,
      onResponseStart,
      onResponseData,
      onResponseEnd,
      onResponseError,
    });
  } catch (error) {
    settle({ kind: "unsendable", reason: messageOf(error) });
    upload?.cancel();
  }
  return promise;

  /** Gives up if the upstream neither answers nor takes a chunk for the idle timeout. */
  function awaitHead(milliseconds: number): void {
    silenceTimer = setTimeout(() => {
      // While the upload waits for the client, its own timer counts.
      const silent = upload === undefined ? idleTimeout : upload.isReading ? 0 : performance.now() - upload.since;
      if (silent >= idleTimeout) giveUp({ kind: "timeout" });
      else awaitHead(idleTimeout - silent);
    }, milliseconds);
  }

  function onRequestStart(started: Dispatcher.DispatchController): void {
    controller = started;
    if (isSettled) started.abort(new Error("The request was given up."));
  }

  /** undici calls this at the first byte of a response. */
  function onResponseStarted(): void {
    hasBegun = true;
  }

  function onResponseStart(upstream: Dispatcher.DispatchController, status: number, fields: IncomingHttpHeaders): void {
    if (status < 200 && status > 99 && ++informational <= MOST_INFORMATIONAL) return;
    const error = findError(status, fields);
    if (error !== undefined) return upstream.abort(new Error(error));
    head = { status, headers: headersOf(status, fields) };
    if (endsWithHead(method, status)) return answer(null);
    download = createDownload(upstream);
    // undici now parses the bytes that arrived with the head. If it finds an error in them, it reports that a moment
    // later. Wait for that, so that the client gets a 502 instead of half a response.
    queueMicrotask(() => isSettled || (holdTimer = setTimeout(() => answer(download?.body() ?? null), HOLD_TIME)));
  }

  function onResponseData(upstream: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (download === undefined) return upstream.abort(new Error("It has a body where there can be none."));
    download.push(chunk);
    // undici has parsed the first bytes after the head without an error, so answer now.
    if (holdTimer !== undefined && !isSettled) answer(download.body());
  }

  function onResponseEnd(): void {
    upload?.cancel();
    if (download === undefined) return;
    download.end();
    if (!isSettled) answer(download.body());
  }

  function onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    download?.fail(error);
    settle(failureOf(error), isStale(error) && controller !== undefined && !hasBegun);
    upload?.cancel();
  }

  function failureOf(error: Error): UpstreamOutcome {
    if (upload?.failure !== undefined) return { kind: upload.failure };
    const code = codeOf(error);
    if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
      return { kind: "unsendable", reason: error.message };
    }
    return { kind: controller === undefined ? "unreachable" : "broken", reason: reasonOf(error) };
  }

  function answer(body: Bytes | ReadableStream<Bytes> | null): void {
    if (head === undefined || isSettled) return;
    const { status, headers } = head;
    const response = new Response(body, { status, headers });
    settle(
      body instanceof ReadableStream ? { kind: "answered", response } : { kind: "answered", response, bytes: body },
    );
  }

  function onAbort(): void {
    giveUp({ kind: "gone" });
  }

  function giveUp(outcome: UpstreamOutcome): void {
    if (isSettled) return;
    settle(outcome);
    controller?.abort(new Error("The request was given up."));
    upload?.cancel();
  }

  function settle(outcome: UpstreamOutcome, isStale = false): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    clearTimeout(silenceTimer);
    clearTimeout(holdTimer);
    signal.removeEventListener("abort", onAbort);
    resolve({ outcome, isStale });
  }
}

/**
 * Returns the name that a server must have a certificate for: that of its URL, also if `Host` has another one. Empty for
 * an IP address, which TLS doesn't send.
 */
function serverNameOf(origin: string): string {
  const { hostname } = new URL(origin);
  return /^\[|^[0-9.]+$/.test(hostname) ? "" : hostname;
}

/** Tells whether an error means that the upstream closed a connection on which it had answered before. */
function isStale(error: Error): boolean {
  return error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}

/** The message of a failed connection. If the host has several addresses, it contains the error of each. */
function reasonOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join(", ") : error.message;
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The most bytes of a body that the server reads at once. */
const SHORT = 64 * 1024;

function isShort({ headers }: UpstreamRequest): boolean {
  return Number(headers.find(([name]) => name.toLowerCase() === "content-length")?.[1] ?? NaN) <= SHORT;
}
