import { decodeStrictly } from "../../http/decode_strictly.ts";
import { decodeBase64 } from "../../http/base64.ts";
import type { Span } from "./span.ts";

/** A word of characters of base64. The look-behind lets a match begin only at its first character. */
const WORD = /(?<![\w+/-])[\w+/-]{16,}={0,2}/g;
/** The characters of a word that are decoded first, since most words aren't base64 of a text. */
const HEAD = 32;
/** Matches text without control characters. */
const PRINTABLE = /^[\P{C}\s]*$/u;

/**
 * Finds base64 of texts that contain a secret, such as JSON with a password.
 *
 * @param hasSecret Whether a decoded text contains a secret.
 */
export function findEncoded(text: string, hasSecret: (decoded: string) => boolean): Span[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const decoded = decodeSecret(word);
    return decoded !== undefined && hasSecret(decoded) ? [{ start: index, end: index + word.length }] : [];
  });
}

/** Decodes base64 of a text; `undefined` if it isn't base64, or if the result isn't a printable text. */
export function decodeSecret(word: string): string | undefined {
  const head = decodeBase64(word.slice(0, HEAD));
  // Bytes of UTF-8 are neither control characters nor 0xFE and 0xFF.
  if (head === undefined || head.some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127 || byte > 0xFD)) {
    return undefined;
  }
  const bytes = decodeBase64(word);
  const text = bytes && decodeStrictly(bytes);
  return text !== undefined && PRINTABLE.test(text) ? text : undefined;
}
