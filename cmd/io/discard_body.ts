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
