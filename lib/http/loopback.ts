/**
 * Tells whether a URL means the machine itself, as far as its text says: `localhost` and names under it (RFC 6761,
 * section 6.3), 127.0.0.0/8 and ::1.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(isLoopback(new URL("http://127.1:9000/hook")));
 * assert.ok(!isLoopback(new URL("http://localhost.example.com/")));
 * ```
 */
export function isLoopback({ hostname }: Pick<URL, "hostname">): boolean {
  // The URL parser has already brought numbers of every notation, such as 0x7f.1, into one form.
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(name) || /^\[::ffff:7f[0-9a-f]{2}:/.test(name);
}
