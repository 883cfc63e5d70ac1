/**
 * Strings with one character for each byte, from U+0000 to U+00FF. The `latin1` of the Encoding Standard is
 * windows-1252, which has other characters for the bytes 0x80 to 0x9F.
 *
 * @module
 */
import type { Bytes } from "./handler.ts";

/** The number of bytes that are converted at a time: a multiple of 3, so that their base64 has no padding. */
const BLOCK = 48 * 1024;

/** Whether this machine stores the lower byte of a 16-bit unit first. */
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Makes a string with one character for each byte.
 *
 * `atob` gives such strings. Where the runtime can't make base64 of bytes, the bytes are widened to UTF-16 and decoded,
 * which takes five times as long. `String.fromCharCode` takes each byte as an argument, which costs ten times as much
 * again.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(latin1Text(new Uint8Array([0x41, 0x80, 0xff])), "A\u0080\u00ff");
 * ```
 */
export function latin1Text(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += BLOCK) text += blockText(bytes.subarray(at, at + BLOCK));
  return text;
}

/** Converts a block, in the way that the runtime is fastest at. */
function blockText(block: Uint8Array): string {
  return "toBase64" in block && typeof block.toBase64 === "function"
    ? atob(String(block.toBase64()))
    : textByUnits(block);
}

/** Widens a block to UTF-16, and decodes it. */
export function textByUnits(block: Uint8Array): string {
  const units = new Uint16Array(block);
  return new TextDecoder(IS_LITTLE_ENDIAN ? "utf-16le" : "utf-16be", { ignoreBOM: true }).decode(units);
}

/** Encodes each UTF-16 code unit as one byte; those above U+00FF as a question mark. */
export function latin1Bytes(text: string): Bytes {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes[at] = unit <= 0xff ? unit : 0x3f;
  }
  return bytes;
}
