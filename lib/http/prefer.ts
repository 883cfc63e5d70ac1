/**
 * Matches a preference, or a parameter of a preference, and the delimiter after it: `name`, `name=token`, `name="quoted
 * \"string\""`.
 */
const MEMBER = /\s*([^\s=;,"]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^;,"]*)))?[^;,]*([;,]|$)/y;

/**
 * Parses a `Prefer` header. Names are in lower case. Of repeated preferences the first counts. The parameters of a
 * preference (`name; parameter=value`) are not in the result. Malformed preferences are skipped.
 *
 * @param header The value of the header; several headers joined by commas, as `Headers.get` gives them.
 * @returns Values by name. A preference without a value has the empty string, which RFC 7240 makes equal to no value.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7240#section-2 RFC 7240, section 2}
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const preferences = parsePrefer('code=404, example="not found", respond-async');
 * assert.equal(preferences.get("code"), "404");
 * assert.equal(preferences.get("example"), "not found");
 * assert.equal(preferences.get("respond-async"), "");
 * ```
 */
export function parsePrefer(header: string): Map<string, string> {
  const preferences = new Map<string, string>();
  let isParameter = false;
  for (let at = 0; at < header.length;) {
    MEMBER.lastIndex = at;
    const member = MEMBER.exec(header);
    if (member === null) break;
    const [, name = "", quoted, token = "", end] = member;
    const key = name.toLowerCase();
    if (key !== "" && !isParameter && !preferences.has(key)) {
      preferences.set(key, quoted?.replace(/\\(.)/g, "$1") ?? token.trim());
    }
    isParameter = end === ";";
    at = MEMBER.lastIndex;
  }
  return preferences;
}
