import { isToken, tokenOrQuotedString } from "./token.ts";
import type { Bytes, Handler } from "./handler.ts";
import { splitTarget } from "./url/url.ts";
import { isNullBodyStatus } from "./body.ts";
import { problemResponse } from "./problem.ts";
import { timerOf } from "./timer.ts";
import { failureOf, LONGEST_SILENCE, type Send, type UpstreamOutcome } from "./url/upstream.ts";

/** Forwards requests to another server. */
export interface Forwarder extends Handler {
  /**
   * Forwards a request. Its body can be replaced, because a caller may have read it already.
   *
   * @param body The body to forward. Default: the body of the request.
   */
  forward(request: Request, body?: Bytes | ReadableStream<Bytes> | null): Promise<Forwarded>;
}

/** The result of forwarding a request. */
export interface Forwarded {
  /** The response, without hop-by-hop fields (RFC 9110, section 7.6.1). */
  readonly response: Response;
  /**
   * Whether the other server sent the response. If not, the response is a problem that says why the server sent none.
   */
  readonly isUpstream: boolean;
  /**
   * The bytes of the response's body, if the whole body has arrived. With them, the body of `response` need not be
   * read.
   */
  readonly bytes?: Bytes | null | undefined;
  /**
   * The reason why the other server sent no response, as a sentence. Absent if there is a response, or if the client
   * disconnected first.
   */
  readonly failure?: string;
}

/** Options of {@linkcode createForwarder}. */
export interface ForwardOptions {
  /** Sends the forwarded requests. */
  send: Send;
  /** The longest wait for the head of a response, in milliseconds. Default: 60,000. */
  timeout?: number;
  /** Returns the address of the client that sent a request, for `X-Forwarded-For` and `Forwarded`. Default: unknown. */
  clientOf?: (request: Request) => string | undefined;
  /**
   * Returns the URL by which the client of a request has asked, for `X-Forwarded-Proto`, `X-Forwarded-Host` and
   * `Forwarded`: another one behind a trusted proxy. Default: that of the request.
   */
  urlOf?: (request: Request) => string;
}

/**
 * The hop-by-hop fields (RFC 9110, section 7.6.1), which aren't forwarded. `Connection` may name further fields.
 * `Expect` is in this list because gw's HTTP server has already answered `100-continue`.
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

/** The hop-by-hop fields that a response may have, beside the fields that its `Connection` header names. */
const HOP_BY_HOP_IN_RESPONSES = [
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "trailer",
  "upgrade",
];

/** The name of this program in the header `Via` (RFC 9110, section 7.6.3, calls it a pseudonym). */
const PSEUDONYM = "gw";

/**
 * The request headers that aren't copied to the forwarded request: the hop-by-hop fields, and those that this program
 * sets itself.
 */
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
 * Makes a handler that forwards requests to another server and returns its responses. Bodies are streamed in both
 * directions. The response is a 502 problem when the server can't be reached, and a 504 problem when it doesn't respond
 * in time.
 *
 * @param upstream The URL of the server. Its path is put before the path of each request.
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
export function createForwarder(upstream: URL, options: ForwardOptions): Forwarder {
  const { send, timeout = 60_000, clientOf = () => undefined, urlOf = ({ url }) => url } = options;
  const base = upstream.href.replace(/[?#].*$/, "").replace(/\/$/, "");
  const limits = { headTimeout: timerOf(timeout), idleTimeout: 0, uploadTimeout: LONGEST_SILENCE };
  return Object.assign(async (request: Request) => (await forward(request)).response, { forward });

  async function forward(
    request: Request,
    body: Bytes | ReadableStream<Bytes> | null = request.body,
  ): Promise<Forwarded> {
    const { method, headers } = request;
    const { path, query } = splitTarget(request.url);
    const outcome = await send(`${base}${path}${query === "" ? "" : `?${query}`}`, {
      method,
      headers: forwardedHeaders({ url: urlOf(request), method, headers }, clientOf(request)),
      body,
      ...limits,
      signal: request.signal,
    });
    if (outcome.kind === "answered") {
      return { response: returnedResponse(outcome.response), isUpstream: true, bytes: outcome.bytes };
    }
    const { problem, reason } = failureOf(outcome, limits);
    // Unlike the detail of a gateway, this one may name the upstream's URL: the user gave it on the command line.
    const detail = detailOf(outcome.kind, reason);
    const response = problemResponse({ ...problem, detail });
    return { response, isUpstream: false, ...outcome.kind === "gone" ? {} : { failure: detail } };
  }

  function detailOf(kind: UpstreamOutcome["kind"], reason: string): string {
    if (kind === "unreachable") return `The upstream ${base} can't be reached: ${reason}`;
    return kind === "broken" ? `The upstream ${base} has sent no complete and valid response: ${reason}` : reason;
  }
}

/**
 * Makes the headers of a forwarded request: without hop-by-hop fields, and with `Forwarded`, `X-Forwarded-…` and `Via`.
 *
 * @param client Address of the client, if it is known.
 */
export function forwardedHeaders(
  { url, method, headers }: Pick<Request, "url" | "method" | "headers">,
  client: string | undefined,
): [name: string, value: string][] {
  let list: [string, string][] = [];
  let connection: string | undefined;
  let clients: string | undefined;
  let forwarded: string | undefined;
  let via: string | undefined;
  for (const field of headers) {
    const [name, value] = field;
    if (name.includes("_") && isReserved(name)) continue;
    if (name === "content-length" ? isLengthOfBody(method, headers, value) : !WITHHELD.has(name)) list.push(field);
    else if (name === "connection") connection = value;
    else if (name === "x-forwarded-for") clients = value;
    else if (name === "forwarded") forwarded = value;
    else if (name === "via") via = value;
  }
  if (connection !== undefined) {
    const named = connectionOptions(connection);
    list = list.filter(([name]) => !named.has(name));
  }
  const protocol = url.slice(0, url.indexOf(":"));
  const host = authorityOf(url) ?? headers.get("host") ?? undefined;
  list.push(["x-forwarded-proto", protocol]);
  if (host !== undefined) list.push(["x-forwarded-host", host]);
  if (client !== undefined) clients = clients === undefined ? client : `${clients}, ${client}`;
  if (clients !== undefined) list.push(["x-forwarded-for", clients]);
  const hop = forwardedHop(client, host, protocol);
  list.push(["forwarded", forwarded === undefined ? hop : `${forwarded}, ${hop}`]);
  // `Request` doesn't tell the version of HTTP. `Via` says 1.1, which nearly all clients of a local server use.
  list.push(["via", via === undefined ? `1.1 ${PSEUDONYM}` : `${via}, 1.1 ${PSEUDONYM}`]);
  return list;
}

/**
 * Tells whether a header's name, with `-` for each `_`, is one that isn't copied to the forwarded request. CGI and WSGI
 * servers read `_` as `-`, so a client could otherwise send such a server `X_Forwarded_For`.
 */
function isReserved(name: string): boolean {
  const read = name.replaceAll("_", "-");
  return read === "content-length" || WITHHELD.has(read);
}

/**
 * Returns host and port of the URL. They take precedence over the header `Host` (RFC 9112, section 3.2.2), which a
 * request over HTTP/2 hasn't: its `:authority` is in the URL (RFC 9113, section 8.3.1).
 */
export function authorityOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
}

/**
 * Tells whether `Content-Length` is the length of the forwarded body, and so may be forwarded. A GET or HEAD request is
 * forwarded without a body: with `Content-Length`, the next server would take the following request on the connection
 * for its body. `Transfer-Encoding` overrides `Content-Length` (RFC 9112, section 6.3).
 */
function isLengthOfBody(method: string, headers: Headers, value: string): boolean {
  return method !== "GET" && method !== "HEAD" && /^\d+$/.test(value) && !headers.has("transfer-encoding");
}

/** Makes the element that this hop adds to the header `Forwarded` (RFC 7239, section 4). */
function forwardedHop(client: string | undefined, host: string | undefined, protocol: string): string {
  const by = client === undefined ? "unknown" : tokenOrQuotedString(client.includes(":") ? `[${client}]` : client);
  return host === undefined
    ? `for=${by};proto=${protocol}`
    : `for=${by};host=${tokenOrQuotedString(host)};proto=${protocol}`;
}

/**
 * Removes the hop-by-hop fields from the response of another server. A response without such fields is returned
 * unchanged.
 */
export function returnedResponse(response: Response): Response {
  const { headers, status, statusText } = response;
  // Most responses need no copy. To copy a response, its `body` is read, which makes a stream and costs as much as the
  // rest of this function.
  if (!HOP_BY_HOP_IN_RESPONSES.some((name) => headers.has(name))) return response;
  const kept = withoutHopByHop(headers);
  const body = isNullBodyStatus(status) ? null : response.body;
  return new Response(body, { status, statusText, headers: kept });
}

function withoutHopByHop(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of [...HOP_BY_HOP, ...connectionOptions(original.get("connection") ?? "")]) headers.delete(name);
  return headers;
}

/**
 * Parses the header `Connection`: returns the names of fields in it (connection options; RFC 9110, section 7.6.1), in
 * lower case.
 */
export function connectionOptions(connection: string): ReadonlySet<string> {
  return new Set(connection.toLowerCase().split(",").map((name) => name.trim()).filter(isToken));
}
