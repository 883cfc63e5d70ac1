/**
 * Removes a session's base path from a request, by a proxy of the request with another URL. A new `Request` isn't
 * possible: it can't have the method `TRACE`, and can't be upgraded to a WebSocket.
 *
 * @module
 */

/** The property of the proxy that returns the original request. */
const ORIGINAL = Symbol("original");

/**
 * Makes a request with another URL. All other properties, and the body, are those of the original.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const rewritten = withUrl(new Request("http://localhost/_gw/s/a/pets"), "http://localhost/pets");
 * assert.equal(rewritten.url, "http://localhost/pets");
 * assert.equal(originalRequest(rewritten).url, "http://localhost/_gw/s/a/pets");
 * ```
 */
export function withUrl(request: Request, url: string): Request {
  return new Proxy(request, {
    get(original, key) {
      if (key === "url") return url;
      if (key === ORIGINAL) return original;
      // Getters and methods of `Request` throw if `this` is the proxy instead of the original request.
      const value: unknown = Reflect.get(original, key, original);
      return typeof value === "function" ? value.bind(original) : value;
    },
  });
}

/** The request as the client sent it: the original of a proxy, or the given request. */
export function originalRequest(request: Request): Request {
  const original: unknown = Reflect.get(request, ORIGINAL);
  return original instanceof Request ? original : request;
}
