/**
 * Encodes and decodes text in the charset of a media type.
 *
 * @module
 * @see {@link https://encoding.spec.whatwg.org/#names-and-labels Encoding Standard, section 4.2, Names and labels}
 */
import type { Bytes } from "../http/handler.ts";
import { latin1Bytes } from "../http/latin1.ts";

/** Charsets with one byte for each character. */
const SINGLE_BYTE = /^(?:us-ascii|ascii|iso-?8859-?1|latin-?1|l1|windows-1252|cp1252)$/i;
const UTF_16 = /^utf-16(?:le|be)?$/i;

/** Tells whether a charset can encode all of Unicode. */
export function isUnicode(charset: string | undefined): boolean {
  return charset === undefined || !SINGLE_BYTE.test(charset);
}

/** Tells whether {@linkcode encodeText} encodes in UTF-8. */
export function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || !SINGLE_BYTE.test(charset) && !UTF_16.test(charset);
}

/** Encodes a text in a charset; in UTF-8 if the charset isn't supported. */
export function encodeText(text: string, charset: string | undefined): Bytes {
  if (charset !== undefined && SINGLE_BYTE.test(charset)) return latin1Bytes(text);
  if (charset !== undefined && UTF_16.test(charset)) return utf16Bytes(text, charset.toLowerCase());
  return new TextEncoder().encode(text);
}

/**
 * Encodes a text in UTF-16. The charset `utf-16` leaves the byte order open, so its text begins with a byte order mark
 * (RFC 2781, section 3.3).
 */
function utf16Bytes(text: string, charset: string): Bytes {
  const marked = charset === "utf-16" ? "\ufeff" + text : text;
  const view = new DataView(new ArrayBuffer(marked.length * 2));
  for (let at = 0; at < marked.length; at++) view.setUint16(at * 2, marked.charCodeAt(at), charset !== "utf-16be");
  return new Uint8Array(view.buffer);
}
