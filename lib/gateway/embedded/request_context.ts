import type { Bytes, HeaderList } from "../../http/handler.ts";
import { type Problem, PROBLEM_MEDIA_TYPE, problemResponse } from "../../http/problem.ts";
import type { Reply } from "../../mock/reply.ts";
import type { RequestTarget } from "../../mock/validation/validate_request.ts";

export { type Reply, upstreamReply } from "../../mock/reply.ts";

/** The client of a request, as `Deno.serve` describes it. */
export interface ClientInfo {
  readonly remoteAddr: {
    readonly transport?: string;
    /** IP address; absent for connections other than TCP. */
    readonly hostname?: string;
  };
}

/** A request, and the state that its guards and its handler share. */
export interface RequestContext {
  readonly request: Request;
  readonly target: RequestTarget;
  readonly client: ClientInfo;
  /** The body of the request, if a guard has read it. */
  body?: Bytes;
  /**
   * Headers of the request to the upstream that replace those of the client, by {@linkcode comparable} name;
   * `undefined` removes a header.
   */
  replaced?: ReadonlyMap<string, readonly [name: string, value: string] | undefined>;
  /** Headers that the reply gets, whether from a guard or from the handler. */
  readonly headers: [name: string, value: string][];
}

/** Replies to a request. */
export type RequestHandler = (context: RequestContext) => Reply | Promise<Reply>;

/** Replies to a request that may not pass; `undefined` lets it pass. */
export type Guard = (context: RequestContext) => Reply | undefined | Promise<Reply | undefined>;

/** Makes the reply with a problem (RFC 9457), whose detail is in the log too. */
export function problemReply(problem: Problem, headers: HeaderList = []): Reply {
  const { detail } = problem;
  return { response: problemResponse(problem, headers), mediaType: PROBLEM_MEDIA_TYPE, source: "problem", detail };
}

/** Sets headers of a reply; `Vary` is appended. */
export function withHeaders(reply: Reply, headers: HeaderList): Reply {
  const { response } = reply;
  // The response of `Deno.upgradeWebSocket` must be returned as it is.
  if (headers.length === 0 || response.status === 101) return reply;
  const all = new Headers(response.headers);
  for (const [name, value] of headers) {
    if (name === "vary") all.append(name, value);
    else all.set(name, value);
  }
  const { status, statusText, body } = response;
  return { ...reply, response: new Response(body, { status, statusText, headers: all }) };
}

/** The problem for a request that no route of the fleet matches, and for a disabled operation. */
export function noRoute({ method }: Pick<Request, "method">, path: string): Problem {
  const detail = `Nothing that is deployed to this fleet answers ${method} ${path} on this host.`;
  return { title: "Not Found", status: 404, detail };
}
