import { problemResponse } from "../../lib/http/problem.ts";
import type { Log } from "./log.ts";
import { messageOf } from "../../lib/http/message.ts";
import { targetOf } from "../../lib/http/url.ts";

/** Answers a request that something in gw itself fails at, and logs why: 500. */
export function faultResponse({ method, url }: Request, error: unknown, log: Pick<Log, "complain">): Response {
  const detail = `gw failed to answer ${method} ${targetOf(url)}: ${messageOf(error)}. ` +
    "This is a fault of gw, not of the request; its log has the details.";
  log.complain(error instanceof Error && error.stack !== undefined ? error.stack : detail, { error: detail });
  return problemResponse({ title: "Internal Server Error", status: 500, detail });
}

/**
 * The response as `Deno.serve` can write it. It writes a 205 with neither a length nor chunks (Deno 2.9), so a client
 * waits for the end of the connection. A 204 says the same but for the view to reset (RFC 9110, section 15.3.6).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9112#section-6.3 RFC 9112, Message Body Length}
 */
export function sendableResponse(response: Response): Response {
  if (response.status !== 205) return response;
  return new Response(null, { status: 204, headers: response.headers });
}

/** A body of more bytes isn't worth reading only to go on with its connection. */
const MOST = 64 * 1024;

/**
 * Reads the body of a request to its end, if it is small and nobody wanted it: the server closes a connection when a
 * request on it was answered and not read, and the client must connect anew, at twice to three times the cost.
 */
export function discardBody(request: Request): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const length = Number(request.headers.get("content-length"));
  if (length === 0 || length > MOST || request.bodyUsed) return;
  // Somebody may be about to read it, or the client gone: either is none of our business.
  request.arrayBuffer().catch(() => {});
}
