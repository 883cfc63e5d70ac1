/**
 * Makes a request below the base path of a session look as if it had no base path. The result is a proxy of the request
 * with another URL. A new `Request` wouldn't do: it can't have the method `TRACE`, and can't be upgraded to a
 * WebSocket.
 *
 * @module
 */

/** The property that gives the original of a shifted request. */
const ORIGINAL = Symbol("original");

/**
 * Makes a request with another URL. All other properties, and the body, are those of the original.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const shifted = shiftRequest(new Request("http://localhost/_gw/s/a/pets"), "http://localhost/pets");
 * assert.equal(shifted.url, "http://localhost/pets");
 * assert.equal(unshifted(shifted).url, "http://localhost/_gw/s/a/pets");
 * ```
 */
export function shiftRequest(request: Request, url: string): Request {
  return new Proxy(request, {
    get(original, key) {
      if (key === "url") return url;
      if (key === ORIGINAL) return original;
      // Getters and methods of `Request` need the original as `this`, not the proxy.
      const value: unknown = Reflect.get(original, key, original);
      return typeof value === "function" ? value.bind(original) : value;
    },
  });
}

/** The request as the client sent it. */
export function unshifted(request: Request): Request {
  const original: unknown = Reflect.get(request, ORIGINAL);
  return original instanceof Request ? original : request;
}
