import { isToken, tokenOrQuotedString } from "./token.ts";
import type { Bytes, Handler } from "./handler.ts";
import { splitTarget } from "./url.ts";
import { isNullBodyStatus } from "./body.ts";
import { problemResponse } from "./problem.ts";
import { failureOf, type Send, type UpstreamOutcome } from "./upstream.ts";

/** Forwards requests to another server. */
export interface Forwarder extends Handler {
  /**
   * Forwards a request, with another body if its own was already read or is being read.
   *
   * @param body The body that is sent. Default: that of the request.
   */
  forward(request: Request, body?: Bytes | ReadableStream<Bytes> | null): Promise<Forwarded>;
}

/** The result of forwarding a request. */
export interface Forwarded {
  /** The response, without hop-by-hop fields. */
  readonly response: Response;
  /** Whether the response is the other server's, and not a problem that says why there is none. */
  readonly isUpstream: boolean;
  /** The body, if it has arrived completely. With these bytes, the body of `response` needn't be read. */
  readonly bytes?: Bytes | null | undefined;
  /** The reason why the other server sent no response, as a sentence; absent if the client disconnected before. */
  readonly failure?: string;
}

/** How requests are forwarded. */
export interface ForwardOptions {
  /** Sends them. */
  send: Send;
  /** Longest wait for the head of a response, in milliseconds. Default: 60,000. */
  timeout?: number;
  /** The address of a request's client, for `X-Forwarded-For` and `Forwarded`. Default: unknown. */
  clientOf?: (request: Request) => string | undefined;
}

/**
 * Hop-by-hop fields (RFC 9110, section 7.6.1), which aren't forwarded; `Connection` may name more. `Expect` is among
 * them: the HTTP server of this program has answered it already.
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

/** The hop-by-hop fields of responses, beside those that `Connection` names. */
const OF_RESPONSES = ["transfer-encoding", "connection", "keep-alive", "proxy-authenticate", "trailer", "upgrade"];

/** The pseudonym of this program in `Via` (RFC 9110, section 7.6.3). */
const PSEUDONYM = "gw";

/** Request headers that aren't forwarded as they are: they are left out, or written anew. */
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
 * Makes a handler that forwards requests to another server and its responses back, both as streams.
 *
 * The response is a 502 problem when the server can't be reached, and a 504 problem when it doesn't respond in time.
 *
 * @param upstream The URL of the server; its path precedes that of each request.
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
  const { send, timeout = 60_000, clientOf = () => undefined } = options;
  const base = upstream.href.replace(/[?#].*$/, "").replace(/\/$/, "");
  const limits = { headTimeout: timeout, idleTimeout: 0 };
  return Object.assign(async (request: Request) => (await forward(request)).response, { forward });

  async function forward(
    request: Request,
    body: Bytes | ReadableStream<Bytes> | null = request.body,
  ): Promise<Forwarded> {
    const { path, query } = splitTarget(request.url);
    const outcome = await send(`${base}${path}${query === "" ? "" : `?${query}`}`, {
      method: request.method,
      headers: forwardedHeaders(request, clientOf(request)),
      body,
      ...limits,
      signal: request.signal,
    });
    if (outcome.kind === "answered") {
      return { response: returnedResponse(outcome.response), isUpstream: true, bytes: outcome.bytes };
    }
    const { problem, reason } = failureOf(outcome, limits);
    // The user named the upstream on the command line, so the answer may name it too.
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
 * The headers of a forwarded request: without hop-by-hop fields, and with `Forwarded`, `X-Forwarded-…` and `Via`.
 *
 * @param client Address of the client, if it is known.
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
    const named = connectionOptions(connection);
    list = list.filter(([name]) => !named.has(name));
  }
  const protocol = url.slice(0, url.indexOf(":"));
  list.push(["x-forwarded-proto", protocol]);
  if (host !== undefined) list.push(["x-forwarded-host", host]);
  if (client !== undefined) clients = clients === undefined ? client : `${clients}, ${client}`;
  if (clients !== undefined) list.push(["x-forwarded-for", clients]);
  const hop = forwardedHop(client, host, protocol);
  list.push(["forwarded", forwarded === undefined ? hop : `${forwarded}, ${hop}`]);
  // `Request` doesn't tell the version of HTTP, so 1.1 is assumed: nearly all local clients use it.
  list.push(["via", via === undefined ? `1.1 ${PSEUDONYM}` : `${via}, 1.1 ${PSEUDONYM}`]);
  return list;
}

/**
 * Whether a name with underscores would pass for a withheld field, as servers such as CGI and WSGI read `_` as `-`.
 * Such a header isn't forwarded.
 */
function isReserved(name: string): boolean {
  const read = name.replaceAll("_", "-");
  return read === "content-length" || WITHHELD.has(read);
}

/** Host and port of a request's target, which take precedence over the header `Host` (RFC 9112, section 3.2.2). */
function authorityOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
}

/**
 * Whether `Content-Length` is the length of the forwarded body. Not with GET and HEAD, which are forwarded without a
 * body: the next server would take the following request on the connection for that body. Not with `Transfer-Encoding`
 * either, which overrides the field (RFC 9112, section 6.3).
 */
function isLengthOfBody(method: string, headers: Headers, value: string): boolean {
  return method !== "GET" && method !== "HEAD" && /^\d+$/.test(value) && !headers.has("transfer-encoding");
}

/** The element of `Forwarded` for one hop (RFC 7239, section 4). */
function forwardedHop(client: string | undefined, host: string | undefined, protocol: string): string {
  const by = client === undefined ? "unknown" : tokenOrQuotedString(client.includes(":") ? `[${client}]` : client);
  return host === undefined
    ? `for=${by};proto=${protocol}`
    : `for=${by};host=${tokenOrQuotedString(host)};proto=${protocol}`;
}

/**
 * The response of another server without its hop-by-hop fields. A response without such fields is returned as it is.
 */
export function returnedResponse(response: Response): Response {
  const { headers, status, statusText } = response;
  // This saves reading `body`: it makes a stream, which costs as much as all the rest of this function.
  if (!OF_RESPONSES.some((name) => headers.has(name))) return response;
  const kept = endToEnd(headers);
  const body = isNullBodyStatus(status) ? null : response.body;
  return new Response(body, { status, statusText, headers: kept });
}

/** The headers without hop-by-hop fields. */
function endToEnd(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of [...HOP_BY_HOP, ...connectionOptions(original.get("connection") ?? "")]) headers.delete(name);
  return headers;
}

/** The names of fields in `Connection` (RFC 9110, section 7.6.1, connection options), in lower case. */
export function connectionOptions(connection: string): ReadonlySet<string> {
  return new Set(connection.toLowerCase().split(",").map((name) => name.trim()).filter(isToken));
}
