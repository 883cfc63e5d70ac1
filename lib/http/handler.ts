/**
 * What answers a request: the type that `Deno.serve` takes, and that every server built on the Fetch API understands.
 *
 * @see {@link https://fetch.spec.whatwg.org/ Fetch Standard}
 */
export type Handler = (request: Request) => Response | Promise<Response>;

/** Headers in the order in which they are sent; names in lower case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Bytes that a response can carry. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Splits the target of a request at its query, without the cost of a `URL`.
 *
 * @param url URL of a request, as `Request.url` has it.
 * @returns Path with percent-encoding, and query without `?`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitTarget("http://localhost:8080/pets/%zz?limit=3"), { path: "/pets/%zz", query: "limit=3" });
 * ```
 */
export function splitTarget(url: string): { path: string; query: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return { path: "/", query: "" };
  // A fragment is never part of a target (RFC 9112, section 3.2), but what constructs a `Request` may leave it there.
  const hash = url.indexOf("#", start);
  const end = hash === -1 ? url.length : hash;
  const question = url.indexOf("?", start);
  if (question === -1 || question > end) return { path: url.slice(start, end), query: "" };
  return { path: url.slice(start, question), query: url.slice(question + 1, end) };
}
