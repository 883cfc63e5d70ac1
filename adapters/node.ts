/**
 * Runs mock servers with `node:http` and in Express.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createMock, parseDocument } from "../mod.ts";
 *
 * const document = await parseDocument("openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\npaths: {}");
 * const server = createServer(createListener(createMock(document)));
 * server.listen(0);
 * server.close();
 * ```
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler, MockSession } from "../mod.ts";
import { brokenBy } from "./shared/broken_connection.ts";
import { answersDirectly, type DirectHandler, type DirectRequest, directRequest, SENT } from "./shared/direct.ts";

export { type Definition, loadDocument } from "./shared/load_document.ts";

/** What answers requests: the result of `createMock` or of `createMockServer`, or a session of a mock server. */
export type Answering = Handler | Pick<MockSession, "fetch">;

/** Options of {@linkcode createListener}. */
export interface ListenerOptions {
  /** The most bytes of a request's body. A request with a longer body is answered with 413. Default: 16 MiB. */
  maxBody?: number;
}

/** A request in Express, or in another framework that uses `node:http`. */
export type NodeRequest = IncomingMessage & {
  /** The body, if a parser of the framework, such as `express.json()`, has already read it. */
  body?: unknown;
};

const DEFAULT_MAX_BODY = 16 * 1024 * 1024;

/** Statuses of responses without content (RFC 9110, section 6.4.1). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Makes the request listener of a `node:http` or `node:https` server.
 *
 * @param mock The mock server that answers the requests.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { once } from "node:events";
 * import { createServer } from "node:http";
 * import { createMockServer, parseDocument } from "../mod.ts";
 *
 * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
 * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
 * const server = createServer(createListener(await createMockServer(document))).listen(0);
 * await once(server, "listening");
 * const address = server.address();
 * const port = typeof address === "object" ? address?.port : undefined;
 * assert.equal((await fetch(`http://127.0.0.1:${port}/pets`)).status, 204);
 * server.close();
 * ```
 */
export function createListener(
  mock: Answering,
  options: ListenerOptions = {},
): (request: NodeRequest, response: ServerResponse) => void {
  const answer = answerOf(mock);
  const answerDirect = answersDirectly(answer) ? answer : undefined;
  return (request, response) => {
    const { maxBody = DEFAULT_MAX_BODY } = options;
    const direct = answerDirect &&
      directRequest(request, response, () => fullRequest(request, response, maxBody), maxBody);
    const done = direct === undefined || answerDirect === undefined
      ? exchange(answer, request, response, options)
      : answerDirectly(answerDirect, direct, response);
    done?.catch(() => response.destroy());
  };
}

/**
 * Makes middleware for Express, Connect and other frameworks that use `node:http`. Requests for paths that the
 * definition doesn't have go to the next middleware.
 *
 * @param mock The mock server, or one of its sessions.
 *
 * @example
 * ```ts ignore Needs Express; docs/testing.md has the same, and is run.
 * const app = express();
 * app.use("/api", createMiddleware(mock));
 * ```
 */
export function createMiddleware(
  mock: Pick<MockSession, "fetch" | "hasPath">,
  options: ListenerOptions = {},
): (request: NodeRequest, response: ServerResponse, next: () => void) => void {
  const listener = createListener(mock, options);
  return (request, response, next) => {
    const { method = "GET", url = "/" } = request;
    // Clients of proxies send a whole URL as the target (RFC 9112, section 3.2.2).
    const target = url.startsWith("/") ? `http://localhost${url}` : url;
    // Only the path decides here. The mock server itself checks the conditions on headers that a path key may contain.
    const isAnswered = URL.canParse(target) && mock.hasPath({ method, url: target, headers: new Headers() });
    if (isAnswered) listener(request, response);
    else next();
  };
}

/**
 * Answers a request without making a `Request` and a `Response` of the Fetch API. Returns `undefined` if the answer was
 * sent at once.
 */
function answerDirectly(
  answer: DirectHandler,
  request: DirectRequest,
  outgoing: ServerResponse,
): Promise<void> | undefined {
  let response: Response | Promise<Response>;
  try {
    response = answer(request);
  } catch (error) {
    response = Promise.reject(error);
  }
  if (response instanceof Promise) {
    return response.catch(failed).then((response) => response === SENT ? undefined : sendResponse(outgoing, response));
  }
  return response === SENT ? undefined : sendResponse(outgoing, response);
}

/** Returns the handler of a mock server or session. A handler is returned unchanged. */
export function answerOf(mock: Answering): Handler {
  return typeof mock === "function" ? mock : mock.fetch;
}

interface Received {
  isTooLong: boolean;
}

/** Answers a request. Rejects if the connection must be closed without a response, as a fault of a rule may demand. */
async function exchange(
  answer: Handler,
  incoming: NodeRequest,
  outgoing: ServerResponse,
  { maxBody = DEFAULT_MAX_BODY }: ListenerOptions,
): Promise<void> {
  const disconnected = disconnectionOf(outgoing);
  const received: Received = { isTooLong: Number(incoming.headers["content-length"]) > maxBody };
  if (received.isTooLong) return await sendResponse(outgoing, tooLong(maxBody));
  const request = requestOf(incoming, outgoing, { maxBody, received, signal: disconnected.signal });
  if (request instanceof Response) return await sendResponse(outgoing, request);
  let response: Response;
  try {
    response = await answer(request);
  } catch (error) {
    response = received.isTooLong ? tooLong(maxBody) : failed(error);
  }
  // A request with a too large body gets 413, whatever the handler answers about the part of the body that it could
  // read.
  await sendResponse(outgoing, received.isTooLong ? tooLong(maxBody) : response);
}

/** Aborts when the client disconnects before the response is complete. */
function disconnectionOf(outgoing: ServerResponse): AbortController {
  const disconnected = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) disconnected.abort();
  });
  return disconnected;
}

interface Reading {
  readonly maxBody: number;
  readonly received: Received;
  readonly signal: AbortSignal;
}

/**
 * The request as a `Request`, on the fast path. Its body has a declared length within the limit.
 *
 * @throws {TypeError} If the request can't be one.
 */
function fullRequest(incoming: NodeRequest, outgoing: ServerResponse, maxBody: number): Request {
  const { signal } = disconnectionOf(outgoing);
  const request = requestOf(incoming, outgoing, { maxBody, received: { isTooLong: false }, signal });
  if (request instanceof Response) throw new TypeError("The request has a header that the Fetch API refuses.");
  return request;
}

/** The request as a `Request` of the Fetch API. Returns a response with 400 if that isn't possible. */
function requestOf(incoming: NodeRequest, outgoing: ServerResponse, reading: Reading): Request | Response {
  const { method = "GET", headers: { host = "localhost" }, socket, rawHeaders, url = "/" } = incoming;
  const origin = `${"encrypted" in socket ? "https" : "http"}://${host}`;
  const hasBody = method !== "GET" && method !== "HEAD" &&
    (incoming.headers["content-length"] ?? incoming.headers["transfer-encoding"]) !== undefined;
  const parsed = hasBody ? parsedBody(incoming) : undefined;
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    // In HTTP/2, `rawHeaders` contains pseudo-headers such as `:method`, which `Headers` refuses.
    if (name.startsWith(":")) continue;
    // A parser has decoded the body, and the body written anew may have another length.
    if (parsed !== undefined && /^content-(encoding|length)$/i.test(name)) continue;
    headers.push([name, value]);
  }
  try {
    return new Request(url.startsWith("/") ? origin + url : url, {
      method,
      headers,
      signal: reading.signal,
      ...(hasBody ? { body: parsed ?? streamOf(incoming, outgoing, reading), duplex: "half" } : {}),
    } as RequestInit);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return problem(400, "Bad Request", `This request can't be read: ${error.message}.`);
  }
}

/** The body of a request that a parser of the framework has read; `undefined` if none has. */
function parsedBody({ body, headers, readableEnded }: NodeRequest): string | Uint8Array<ArrayBuffer> | undefined {
  if (!readableEnded || body === undefined) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  return isForm ? new URLSearchParams(fieldsOf(body)).toString() : JSON.stringify(body);
}

/** The fields of a form. Parsers make arrays of repeated fields, and objects of fields such as `a[b]`. */
function fieldsOf(value: unknown, name = ""): [name: string, value: string][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => fieldsOf(item, isRecord(item) ? `${name}[${index}]` : name));
  }
  if (!isRecord(value)) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, part]) => fieldsOf(part, name === "" ? key : `${name}[${key}]`));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * The body of a request as a stream with back-pressure: chunks are read when the handler asks for them. The stream
 * fails if the body exceeds `maxBody` or if the client disconnects.
 */
function streamOf(
  incoming: NodeRequest,
  outgoing: ServerResponse,
  { maxBody, received }: Reading,
): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let length = 0;
  // The rest of a body precedes the next request of the connection. Node.js skips it only if no part was read.
  outgoing.once("finish", () => void chunks?.return?.().then(() => incoming.resume()).catch(() => {}));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      chunks ??= incoming.iterator({ destroyOnReturn: false });
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      length += value.length;
      received.isTooLong = length > maxBody;
      if (received.isTooLong) controller.error(new RangeError(`The body has more than ${maxBody} bytes.`));
      else controller.enqueue(new Uint8Array(value));
    },
  }, { highWaterMark: 0 });
}

/** Sends a response with back-pressure: reads its body no faster than the client receives it. */
async function sendResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  const { status, statusText, headers, body } = response;
  // Set `set-cookie` from `getSetCookie()`: several cookies can't be joined with commas (RFC 6265, section 3).
  for (const [name, value] of headers) if (name !== "set-cookie") outgoing.setHeader(name, value);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  outgoing.statusCode = status;
  if (statusText !== "") outgoing.statusMessage = statusText;
  const isHead = outgoing.req.method === "HEAD";
  if (body === null || isHead || WITHOUT_BODY.has(status)) {
    await body?.cancel();
    outgoing.end();
    return;
  }
  const reader = body.getReader();
  outgoing.once("close", () => reader.cancel().catch(() => {}));
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(read.value)) await drained(outgoing);
    }
  } catch (error) {
    // A broken body, as a rule may demand, ends the connection: but not before its beginning is sent.
    await flushed(outgoing);
    throw error;
  }
  outgoing.end();
}

/** Resolves when all that was written is sent, or when the connection is closed. */
function flushed(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.write("", () => resolve());
  });
}

/** Resolves when the response can be written to again, or when its connection is closed. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.once("drain", done).once("close", done);
  });
}

/**
 * The response with 500 for an error of the handler.
 *
 * @throws The error itself, if a rule breaks the connection.
 */
function failed(error: unknown): Response {
  if (brokenBy(error) !== undefined) throw error;
  const message = error instanceof Error ? error.message : String(error);
  return problem(500, "Internal Server Error", `The handler of this request failed: ${message}`);
}

function tooLong(maxBody: number): Response {
  const response = problem(413, "Content Too Large", `The body has more than ${maxBody} bytes.`);
  // The rest of the body isn't read, so the connection can't be used for another request.
  response.headers.set("connection", "close");
  return response;
}

function problem(status: number, title: string, detail: string): Response {
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify({ title, status, detail }), { status, headers });
}
