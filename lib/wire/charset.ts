/**
 * Encodes and decodes text in the charset of a media type.
 *
 * @module
 * @see {@link https://encoding.spec.whatwg.org/#names-and-labels Encoding Standard, section 4.2, Names and labels}
 */
import type { Bytes } from "../http/handler.ts";

/** Tells whether a charset can encode all of Unicode. */
export function isUnicode(charset: string | undefined): boolean {
  return isUtf8(charset) || /^utf-16/i.test(charset ?? "");
}

/** Tells whether {@linkcode textEncoder} encodes in UTF-8. */
export function isUtf8(charset: string | undefined): boolean {
  if (charset === undefined) return true;
  try {
    // An encoding that changes state within a text isn't supported.
    return /^(?:utf-8|iso-2022-jp|replacement)$/.test(new TextDecoder(charset).encoding);
  } catch {
    return true;
  }
}

/**
 * Makes the function that encodes texts in a charset; in UTF-8 if the charset isn't supported. A character that the
 * charset doesn't have becomes a question mark.
 */
export async function textEncoder(charset: string | undefined): Promise<(text: string) => Bytes> {
  if (charset === undefined || isUtf8(charset)) return (text) => new TextEncoder().encode(text);
  return (await import("./legacy_charset.ts")).legacyEncoder(charset.toLowerCase());
}
