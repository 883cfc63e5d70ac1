/**
 * Strings with one character for each byte, from U+0000 to U+00FF. The `latin1` of the Encoding Standard is
 * windows-1252, which has other characters for the bytes 0x80 to 0x9F.
 *
 * @module
 */
import type { Bytes } from "./handler.ts";

/** The number of bytes that are converted at a time. */
const BLOCK = 32 * 1024;

/** Whether this machine stores the lower byte of a 16-bit unit first. */
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Makes a string with one character for each byte.
 *
 * The bytes are widened to UTF-16 and decoded, in blocks. `String.fromCharCode` takes each byte as an argument, which
 * costs ten times as much.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(latin1Text(new Uint8Array([0x41, 0x80, 0xff])), "A\u0080\u00ff");
 * ```
 */
export function latin1Text(bytes: Uint8Array): string {
  const decoder = new TextDecoder(IS_LITTLE_ENDIAN ? "utf-16le" : "utf-16be", { ignoreBOM: true });
  const units = new Uint16Array(Math.min(BLOCK, bytes.length));
  let text = "";
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = bytes.subarray(at, at + BLOCK);
    units.set(block);
    text += decoder.decode(units.subarray(0, block.length));
  }
  return text;
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
