/**
 * Opaque cursors: texts in a response by which the client requests the next page.
 *
 * @module
 */
import { encodeBase64 } from "../../http/base64.ts";

/** The position at which a page begins. */
export interface Cursor {
  /** The number of items before the page, for when the item with `key` was deleted. */
  readonly offset: number;
  /** The id of the last item before the page; empty if unknown. */
  readonly key: string;
}

/** The prefix of each cursor before it is encoded. It tells cursors from other texts. */
const MARK = "gw:";
/** The longest text that is decoded. No real cursor is so long. */
const MOST_LENGTH = 4_000;

/** The text of a cursor. */
export function encodeCursor({ offset, key }: Cursor): string {
  const bytes = new TextEncoder().encode(`${MARK}${offset}:${key}`);
  return encodeBase64(bytes, "base64url");
}

/** Decodes a cursor; `undefined` if the text isn't one. */
export function decodeCursor(text: string): Cursor | undefined {
  if (text.length > MOST_LENGTH || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const decoded = new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" }));
    const [, offset, key = ""] = /^gw:(\d{1,15}):(.*)$/s.exec(decoded) ?? [];
    return offset === undefined ? undefined : { offset: Number(offset), key };
  } catch {
    return undefined;
  }
}
