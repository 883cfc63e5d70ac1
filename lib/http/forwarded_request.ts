/** Headers that proxies add. With any of them, the address of the connection is a proxy's, not the client's. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-real-ip",
];

/**
 * Tells whether a proxy has passed a request on, so that its client may be on any machine.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(isForwarded({ headers: new Headers({ "x-forwarded-for": "192.0.2.7" }) }));
 * assert.ok(!isForwarded({ headers: new Headers({ accept: "text/html" }) }));
 * ```
 */
export function isForwarded({ headers }: Pick<Request, "headers">): boolean {
  return FORWARDED.some((name) => headers.has(name));
}
