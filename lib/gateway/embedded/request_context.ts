import type { Bytes, HeaderList } from "../../http/handler.ts";
import { type Problem, PROBLEM_MEDIA_TYPE, problemResponse } from "../../http/problem.ts";
import type { Answer } from "../../mock/mock.ts";
import type { RequestTarget } from "../../mock/validation/validate_request.ts";

/** Who sent a request; what `Deno.serve` tells of it. */
export interface ClientInfo {
  readonly remoteAddr: {
    readonly transport?: string;
    /** IP address; absent where the client came by another way than TCP. */
    readonly hostname?: string;
  };
}

/** A request on its way through the gateway. */
export interface Exchange {
  readonly request: Request;
  readonly target: RequestTarget;
  readonly client: ClientInfo;
  /** The request's body, where somebody had to read it. */
  body?: Bytes;
  /**
   * Headers that the upstream gets in place of the client's, by their names with `-` for `_`, as some servers read them;
   * `undefined` for those that it doesn't get at all.
   */
  replaced?: ReadonlyMap<string, readonly [name: string, value: string] | undefined>;
  /** Headers that the answer gets, whoever gives it. */
  readonly headers: [name: string, value: string][];
}

/** An answer, and what it was made from. */
export type Reply = Pick<Answer, "response" | "mediaType" | "source" | "detail">;

/** Answers a request. */
export type Act = (exchange: Exchange) => Reply | Promise<Reply>;

/** Lets a request pass, or answers it. */
export type Guard = (exchange: Exchange) => Reply | undefined | Promise<Reply | undefined>;

/** The answer that carries a problem. */
export function problemReply(problem: Problem, headers: HeaderList = []): Reply {
  return { response: problemResponse(problem, headers), mediaType: PROBLEM_MEDIA_TYPE, source: "problem" };
}

/** The answer of another server. */
export function upstreamReply(response: Response): Reply {
  return { response, mediaType: response.headers.get("content-type") ?? "", source: "upstream" };
}

/** Gives an answer further headers, in place of those that it has by these names. */
export function withHeaders(reply: Reply, headers: HeaderList): Reply {
  const { response } = reply;
  // The answer to a WebSocket's handshake can't be changed.
  if (headers.length === 0 || response.status === 101) return reply;
  const all = new Headers(response.headers);
  for (const [name, value] of headers) {
    if (name === "vary") all.append(name, value);
    else all.set(name, value);
  }
  const { status, statusText, body } = response;
  return { ...reply, response: new Response(body, { status, statusText, headers: all }) };
}

/** Nothing of the fleet is meant; also what a hidden operation answers. */
export function noRoute({ method }: Pick<Request, "method">, path: string): Problem {
  const detail = `Nothing that is deployed to this fleet answers ${method} ${path} on this host.`;
  return { title: "Not Found", status: 404, detail };
}
