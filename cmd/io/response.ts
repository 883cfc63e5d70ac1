import { MemoryBudget } from "../../lib/http/limits/memory_budget.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import type { Log } from "./terminal/log.ts";
import { framesOf, messageOf, nameAndMessageOf } from "../../lib/http/message.ts";
import { targetOf } from "../../lib/http/url/url.ts";
import { PLAIN_REDACTION } from "./terminal/log_redaction.ts";

/** Logs an unexpected error, and returns a response with status 500. */
export function internalErrorResponse({ method, url }: Request, error: unknown, log: Pick<Log, "complain">): Response {
  const failed = (target: string): string =>
    `gw failed to answer ${method} ${target}: ${messageOf(error)}. ` +
    "This is an error of gw, not of the request; its log has the details.";
  const detail = failed(targetOf(url));
  const logged = failed(PLAIN_REDACTION.target({ url }, {}));
  log.complain(error instanceof Error ? [nameAndMessageOf(error), ...framesOf(error)] : logged, { error: logged });
  return problemResponse({ title: "Internal Server Error", status: 500, detail });
}

/**
 * Replaces status 205 by 204. `Deno.serve` (Deno 2.9) sends a 205 with neither a length nor chunks, so that clients
 * wait until the connection ends. Unlike 205, 204 doesn't ask the client to reset its view (RFC 9110, section 15.3.6).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9112#section-6.3 RFC 9112, Message Body Length}
 */
export function sendableResponse(response: Response): Response {
  if (response.status !== 205) return response;
  return new Response(null, { status: 204, headers: response.headers });
}

/** The size of the largest request body that is read although no handler needs it. */
const MOST = 64 * 1024;

/** The memory of all bodies that are read only to be dropped. */
const DISCARDED = new MemoryBudget(16 * 1024 * 1024);

/**
 * Reads a small request body that no handler has read. Otherwise `Deno.serve` closes the connection after the response.
 * A new connection costs the client two to three times as much.
 */
export function discardBody(request: Request): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const length = Number(request.headers.get("content-length"));
  if (length === 0 || length > MOST || request.bodyUsed) return;
  // Beyond the limit, the connection is closed after the response.
  const reservation = DISCARDED.open();
  if (!reservation.resize(length)) return;
  // Ignore errors: reading fails if a handler is reading the body, or if the client has disconnected.
  request.arrayBuffer().then(reservation.release, reservation.release);
}
