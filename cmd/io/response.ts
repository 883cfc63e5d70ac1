import { problemResponse } from "../../lib/http/problem.ts";
import type { Log } from "./log.ts";
import { messageOf } from "../../lib/http/message.ts";
import { targetOf } from "../../lib/http/url.ts";

/** Logs an unexpected error, and makes the response 500. */
export function internalErrorResponse({ method, url }: Request, error: unknown, log: Pick<Log, "complain">): Response {
  const detail = `gw failed to answer ${method} ${targetOf(url)}: ${messageOf(error)}. ` +
    "This is an error of gw, not of the request; its log has the details.";
  log.complain(error instanceof Error && error.stack !== undefined ? error.stack : detail, { error: detail });
  return problemResponse({ title: "Internal Server Error", status: 500, detail });
}

/**
 * Replaces a 205 by a 204. `Deno.serve` writes a 205 with neither a length nor chunks (Deno 2.9), so that clients wait
 * for the end of the connection. A 204 differs only in not asking the client to reset its view (RFC 9110, section
 * 15.3.6).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9112#section-6.3 RFC 9112, Message Body Length}
 */
export function sendableResponse(response: Response): Response {
  if (response.status !== 205) return response;
  return new Response(null, { status: 204, headers: response.headers });
}

/** The largest body that is read only to keep its connection open. */
const MOST = 64 * 1024;

/**
 * Reads a small body that no handler has read. Otherwise `Deno.serve` closes the connection after the response, and the
 * client has to connect again, at twice to three times the cost.
 */
export function discardBody(request: Request): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const length = Number(request.headers.get("content-length"));
  if (length === 0 || length > MOST || request.bodyUsed) return;
  // Reading fails if a handler is reading the body, or if the client has disconnected; neither matters here.
  request.arrayBuffer().catch(() => {});
}
