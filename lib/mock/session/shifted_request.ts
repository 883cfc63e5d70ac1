/**
 * Requests below the base path of a session, as they read without it. A shifted request is the same request with another
 * URL, and not a new `Request`: that could have neither every method (`TRACE`) nor the connection of an upgrade.
 *
 * @module
 */

/** The key by which a shifted request gives the request that it was made from. */
const ORIGINAL = Symbol("original");

/**
 * Makes a request with another URL; all else is read from the original, its body too.
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
      // Getters and methods of `Request` work on the original only.
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
