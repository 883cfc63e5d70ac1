/**
 * Percent-encoding (RFC 3986, section 2.1), decoded once and never with an exception.
 *
 * @module
 */

/** Tells whether every `%` starts an escape, and the escapes are UTF-8. */
export function isPercentEncoded(text: string): boolean {
  return !text.includes("%") || tryDecode(text) !== undefined;
}

/** The text without its percent-encoding; badly encoded text stands for itself. */
export function percentDecode(text: string): string {
  return text.includes("%") ? tryDecode(text) ?? text : text;
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
