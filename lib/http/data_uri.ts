import { decodeBase64, encodeBase64 } from "./base64.ts";
import type { Bytes } from "./handler.ts";
import { latin1Bytes, latin1Text } from "./latin1.ts";
import { percentDecode } from "./url/url.ts";

/** Matches the part of a `data:` URI before its data; its group is `;base64`. */
const HEAD = /^data:[^,]*?(;\s*base64)?,/i;

/**
 * Writes bytes as a `data:` URI, in base64.
 *
 * @param mediaType The media type without parameters.
 */
export function formatDataUri(bytes: Uint8Array, mediaType: string): string {
  return `data:${mediaType};base64,${encodeBase64(bytes)}`;
}

/**
 * Decodes the bytes in a `data:` URI; `undefined` if it is malformed.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc2397 RFC 2397}
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(parseDataUri("data:image/gif;base64,R0lG"), new Uint8Array([0x47, 0x49, 0x46]));
 * assert.deepEqual(parseDataUri("data:,a%20b"), new Uint8Array([0x61, 0x20, 0x62]));
 * ```
 */
export function parseDataUri(uri: string): Bytes | undefined {
  const head = HEAD.exec(uri);
  if (head === null) return undefined;
  const data = uri.slice(head[0].length);
  // Base64 has no `%`, unless a writer has encoded its `+`, `/` or `=`.
  return head[1] === undefined ? percentDecoded(data) : decodeBase64(percentDecode(data));
}

/** Decodes each `%XX` to a byte, and encodes all else in UTF-8. */
function percentDecoded(text: string): Bytes {
  const bytes = latin1Text(new TextEncoder().encode(text));
  return latin1Bytes(bytes.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))));
}
