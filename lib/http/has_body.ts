/**
 * Tells whether a request has a body. That of a GET or HEAD has none, as far as the Fetch API knows.
 *
 * Where a header says it, `body` isn't asked for: that makes a stream, and a large body is then slower to read at once.
 * It is asked for where there is no such header: HTTP/2 needs none.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(hasBody(new Request("http://localhost/pets", { method: "POST", body: "Tom" })));
 * assert.ok(!hasBody(new Request("http://localhost/pets")));
 * ```
 */
export function hasBody(request: Pick<Request, "method" | "headers" | "body">): boolean {
  const { method, headers } = request;
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  if (length !== null) return Number(length) !== 0;
  return headers.has("transfer-encoding") || request.body !== null;
}
