const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** How bytes are decoded. */
export interface DecodeOptions {
  /** The charset. Default: UTF-8. */
  readonly charset?: string | undefined;
  /** Whether a byte order mark is a part of the text. Default: `false`. */
  readonly ignoreBOM?: boolean;
  /** Whether the bytes may end within a character, which is left out. Default: `false`. */
  readonly isStart?: boolean;
}

/**
 * Decodes a text; `undefined` if the bytes are invalid in its charset, or if the charset is unknown.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(decodeStrictly(new Uint8Array([0xc3, 0xa9])), "é");
 * assert.equal(decodeStrictly(new Uint8Array([0xc3])), undefined);
 * assert.equal(decodeStrictly(new Uint8Array([0x61, 0xc3]), { isStart: true }), "a");
 * ```
 */
export function decodeStrictly(bytes: Uint8Array, options?: DecodeOptions): string | undefined {
  try {
    if (options === undefined) return UTF8.decode(bytes);
    const { charset, ignoreBOM = false, isStart = false } = options;
    return new TextDecoder(charset, { fatal: true, ignoreBOM }).decode(bytes, { stream: isStart });
  } catch {
    return undefined;
  }
}
