/**
 * Splits a `Cookie` header.
 *
 * @returns The values of each name, in the order of the header. Quotes around a value are removed; nothing is decoded.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6265#section-4.2.1 RFC 6265, section 4.2.1}
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitCookies('a=1; b="two"; a=3'), new Map([["a", ["1", "3"]], ["b", ["two"]]]));
 * ```
 */
export function splitCookies(header: string): Map<string, string[]> {
  const cookies = new Map<string, string[]>();
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = pair.slice(0, equals).trim();
    const written = pair.slice(equals + 1).trim();
    const quoted = written.length > 1 && written.startsWith('"') && written.endsWith('"');
    const value = quoted ? written.slice(1, -1) : written;
    const values = cookies.get(name);
    if (values === undefined) cookies.set(name, [value]);
    else values.push(value);
  }
  return cookies;
}
