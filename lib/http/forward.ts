import { isToken, tokenOrQuotedString } from "./token.ts";
import type { Handler } from "./handler.ts";
import { splitTarget } from "./url.ts";
import { isNullBodyStatus } from "./body.ts";
import { problemResponse } from "./problem.ts";
import { failureOf, type Send, type UpstreamOutcome } from "./upstream.ts";

/** How requests are forwarded. */
export interface ForwardOptions {
  /** Sends them. */
  send: Send;
  /** Longest wait for the head of a response, in milliseconds. Default: 60,000. */
  timeout?: number;
  /** The address of a request's client. Default: it isn't told. */
  clientOf?: (request: Request) => string | undefined;
}

/**
 * Fields that concern one connection, and end there (RFC 9110, section 7.6.1), beside those that `Connection` names.
 * `Expect` is settled by whoever reads the body first.
 */
const HOP_BY_HOP = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Those that a response may have, beside what its `Connection` names. */
const OF_RESPONSES = ["transfer-encoding", "connection", "keep-alive", "proxy-authenticate", "trailer", "upgrade"];

/** The name by which this program stands in `Via` (RFC 9110, section 7.6.3). */
const PSEUDONYM = "gw";

/** Request headers that the next server doesn't get, or gets written anew. */
const WITHHELD = new Set([
  ...HOP_BY_HOP,
  "host",
  "via",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-for",
  "forwarded",
]);

/**
 * Makes a handler that sends requests on to another server and its responses back, both as streams.
 *
 * A server that can't be reached is a 502 problem, one that doesn't answer in time a 504.
 *
 * @param upstream Where requests go; its path is put before theirs.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-7.6 RFC 9110, section 7.6, Message Forwarding}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7239 RFC 7239, Forwarded HTTP Extension}
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const forward = createForwarder(new URL("https://pets.example.com/v1"), {
 *   send: (url) => Promise.resolve({ kind: "answered", response: new Response(url) }),
 * });
 * const response = await forward(new Request("http://localhost:8080/pets?limit=3"));
 * assert.equal(await response.text(), "https://pets.example.com/v1/pets?limit=3");
 * ```
 */
export function createForwarder(upstream: URL, options: ForwardOptions): Handler {
  const { send, timeout = 60_000, clientOf = () => undefined } = options;
  const base = upstream.href.replace(/[?#].*$/, "").replace(/\/$/, "");
  const limits = { headTimeout: timeout, idleTimeout: 0 };
  return forward;

  async function forward(request: Request): Promise<Response> {
    const { path, query } = splitTarget(request.url);
    const outcome = await send(`${base}${path}${query === "" ? "" : `?${query}`}`, {
      method: request.method,
      headers: forwardedHeaders(request, clientOf(request)),
      body: request.body,
      ...limits,
      signal: request.signal,
    });
    if (outcome.kind === "answered") return returnedResponse(outcome.response);
    const { problem, reason } = failureOf(outcome, limits);
    // The user named the upstream on the command line, so the answer may name it too.
    return problemResponse({ ...problem, detail: detailOf(outcome.kind, reason) });
  }

  function detailOf(kind: UpstreamOutcome["kind"], reason: string): string {
    if (kind === "unreachable") return `The upstream ${base} can't be reached: ${reason}`;
    return kind === "broken" ? `The upstream ${base} has sent no complete and valid response: ${reason}` : reason;
  }
}

/**
 * The headers with which a request is sent on: those that concern its first connection only are left out, and the next
 * server is told who asked, and how.
 *
 * @param client Address of the client, as far as it is known.
 */
export function forwardedHeaders(
  { url, method, headers }: Pick<Request, "url" | "method" | "headers">,
  client: string | undefined,
): [name: string, value: string][] {
  let list: [string, string][] = [];
  let connection: string | undefined;
  let host: string | undefined;
  let clients: string | undefined;
  let forwarded: string | undefined;
  let via: string | undefined;
  for (const field of headers) {
    const [name, value] = field;
    if (name.includes("_") && isReserved(name)) continue;
    if (name === "content-length" ? isLengthOfBody(method, headers, value) : !WITHHELD.has(name)) list.push(field);
    else if (name === "host") host = authorityOf(url) ?? value;
    else if (name === "connection") connection = value;
    else if (name === "x-forwarded-for") clients = value;
    else if (name === "forwarded") forwarded = value;
    else if (name === "via") via = value;
  }
  if (connection !== undefined) {
    const named = namesIn(connection);
    list = list.filter(([name]) => !named.has(name));
  }
  const protocol = url.slice(0, url.indexOf(":"));
  list.push(["x-forwarded-proto", protocol]);
  if (host !== undefined) list.push(["x-forwarded-host", host]);
  if (client !== undefined) clients = clients === undefined ? client : `${clients}, ${client}`;
  if (clients !== undefined) list.push(["x-forwarded-for", clients]);
  const hop = forwardedHop(client, host, protocol);
  list.push(["forwarded", forwarded === undefined ? hop : `${forwarded}, ${hop}`]);
  // `Request` doesn't tell the version of HTTP; nearly all clients of a laptop use 1.1.
  list.push(["via", via === undefined ? `1.1 ${PSEUDONYM}` : `${via}, 1.1 ${PSEUDONYM}`]);
  return list;
}

/**
 * Whether a name with underscores is one that servers which read `_` as `-` (CGI, WSGI) can't tell from a field of the
 * connection, of the body, or of those that tell who asked.
 */
function isReserved(name: string): boolean {
  const read = name.replaceAll("_", "-");
  return read === "content-length" || WITHHELD.has(read);
}

/** The host of a request with its port: that of the target goes before the header (RFC 9112, section 3.2.2). */
function authorityOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
}

/**
 * Whether `Content-Length` is the length of the body that is sent on. A GET or HEAD goes on without a body: the next
 * server would take the next request on the connection for it. With `Transfer-Encoding` the field counts for nothing
 * (RFC 9112, section 6.3).
 */
function isLengthOfBody(method: string, headers: Headers, value: string): boolean {
  return method !== "GET" && method !== "HEAD" && /^\d+$/.test(value) && !headers.has("transfer-encoding");
}

/** What `Forwarded` says of one hop (RFC 7239, section 4). */
function forwardedHop(client: string | undefined, host: string | undefined, protocol: string): string {
  const by = client === undefined ? "unknown" : tokenOrQuotedString(client.includes(":") ? `[${client}]` : client);
  return host === undefined
    ? `for=${by};proto=${protocol}`
    : `for=${by};host=${tokenOrQuotedString(host)};proto=${protocol}`;
}

/**
 * The response to give back for that of another server: without headers that concern its connection only. A response that
 * has none of these is given back as it is.
 */
export function returnedResponse(response: Response): Response {
  const { headers, status, statusText } = response;
  // Asking for `body` makes a stream of bytes that are there, which costs as much as all else here.
  if (!OF_RESPONSES.some((name) => headers.has(name))) return response;
  const kept = endToEnd(headers);
  const body = isNullBodyStatus(status) ? null : response.body;
  return new Response(body, { status, statusText, headers: kept });
}

function endToEnd(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of [...HOP_BY_HOP, ...namesIn(original.get("connection") ?? "")]) headers.delete(name);
  return headers;
}

/** The fields that `Connection` names, in lower case. */
function namesIn(connection: string): ReadonlySet<string> {
  return new Set(connection.toLowerCase().split(",").map((name) => name.trim()).filter(isToken));
}
