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
import type { ServerResponse } from "node:http";
import type { Handler, MockSession } from "../mod.ts";
import { brokenBy } from "./shared/broken_connection.ts";
import { answersDirectly, type DirectHandler, type DirectRequest, directRequest, SENT } from "./shared/direct.ts";
import { type NodeRequest, parsedBody, type Reading, type Received, streamOf } from "./shared/node_body.ts";
import { sendResponse } from "./shared/send_response.ts";
import { withDelays } from "./shared/sleep.ts";

export type { NodeRequest } from "./shared/node_body.ts";
export { type Definition, loadDocument, type LoadOptions } from "./shared/load_document.ts";

/** What answers requests: the result of `createMock` or of `createMockServer`, or a session of a mock server. */
export type Answering = Handler | Pick<MockSession, "fetch">;

/** Options of {@linkcode createListener}. */
export interface ListenerOptions {
  /** The most bytes of a request's body. A request with a longer body is answered with 413. Default: 16 MiB. */
  maxBody?: number;
}

const DEFAULT_MAX_BODY = 16 * 1024 * 1024;

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
    response = await answer(withDelays(request));
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
function requestOf(
  incoming: NodeRequest,
  outgoing: ServerResponse,
  reading: Reading & { signal: AbortSignal },
): Request | Response {
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
