/**
 * Tokens and quoted strings, the parts of which the values of header fields consist. The name of a field is a token,
 * too.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 RFC 9110, section 5.6.2, Tokens}
 * @module
 */

/** The characters of a token, for a character class of a regular expression. */
export const TOKEN_CHARACTERS = "!#$%&'*+.^_`|~0-9A-Za-z-";

const WHOLE = new RegExp(`^[${TOKEN_CHARACTERS}]+$`);

/**
 * Tells whether a text is a token, as the name of a header field must be.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(isToken("x-request-id"));
 * assert.ok(!isToken("x request id"));
 * ```
 */
export function isToken(text: string): boolean {
  return WHOLE.test(text);
}

/**
 * Writes a text as a quoted string (RFC 9110, section 5.6.4).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(quotedString('the "old" pets'), String.raw`"the \"old\" pets"`);
 * ```
 */
export function quotedString(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * Writes the value of a parameter (RFC 9110, section 5.6.6): a token as it is, any other text as a quoted string.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(["gw", "[::1]"].map(tokenOrQuotedString), ["gw", '"[::1]"']);
 * ```
 */
export function tokenOrQuotedString(text: string): string {
  return isToken(text) ? text : quotedString(text);
}
