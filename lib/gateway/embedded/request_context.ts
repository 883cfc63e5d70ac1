import type { Bytes, HeaderList } from "../../http/handler.ts";
import type { Reservation } from "../../http/limits/memory_budget.ts";
import type { Problem } from "../../http/problem.ts";
import type { Reply } from "../../mock/operation/reply.ts";
import type { RequestTarget } from "../../mock/validation/validate_request.ts";

export { problemReply, type Reply, upstreamReply } from "../../mock/operation/reply.ts";

/** The client of a request, in the form of Deno's `ServeHandlerInfo`. */
export interface ClientInfo {
  readonly remoteAddr: {
    readonly transport?: string;
    /** The IP address of the client; absent if the connection isn't TCP. */
    readonly hostname?: string;
    readonly port?: number;
  };
}

/** A request, with the state that the guards and the handler of its route share. */
export interface RequestContext {
  readonly request: Request;
  /** The URL by which the client has asked: that of the request, unless a trusted proxy tells another one. */
  readonly url: string;
  readonly target: RequestTarget;
  readonly client: ClientInfo;
  /** The bytes of the request's body, if a guard has read it. */
  body?: Bytes;
  /** The memory that is reserved for `body`. It is released when the reply is there. */
  reservation?: Reservation;
  /**
   * The headers of the upstream request that replace headers of the client, by {@linkcode comparable} name. `undefined`
   * removes a header.
   */
  replaced?: ReadonlyMap<string, readonly [name: string, value: string] | undefined>;
  /** Headers to add to the reply, whether a guard or the handler makes the reply. */
  readonly headers: [name: string, value: string][];
}

export type RequestHandler = (context: RequestContext) => Reply | Promise<Reply>;

/** Decides whether a request may go on to its handler. A returned reply refuses the request. */
export type Guard = (context: RequestContext) => Reply | undefined | Promise<Reply | undefined>;

/**
 * Sets headers of a reply. `Vary` is appended to, not replaced.
 *
 * @param removed Names of headers to remove first.
 */
export function withResponseHeaders(reply: Reply, headers: HeaderList, removed: readonly string[] = []): Reply {
  const { response } = reply;
  // A copy of the response of `Deno.upgradeWebSocket` would not upgrade the connection.
  if (headers.length + removed.length === 0 || response.status === 101) return reply;
  const all = new Headers(response.headers);
  for (const name of removed) all.delete(name);
  for (const [name, value] of headers) {
    if (name === "vary") all.append(name, value);
    else all.set(name, value);
  }
  const { status, statusText, body } = response;
  return { ...reply, response: new Response(body, { status, statusText, headers: all }) };
}

/** Makes the 404 problem for a request that no route matches, or whose operation is disabled. */
export function noRoute({ method }: Pick<Request, "method">, path: string): Problem {
  const detail = `Nothing that is deployed to this fleet answers ${method} ${path} on this host.`;
  return { title: "Not Found", status: 404, detail };
}

/** The problem for a request whose path a server may resolve to another path. */
export const UNSAFE_PATH: Problem = {
  title: "Bad Request",
  status: 400,
  detail:
    "The path has an encoded dot segment, a dot segment with parameters, or a NUL character. Send the path that " +
    "it stands for.",
};
