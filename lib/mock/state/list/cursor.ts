/**
 * Opaque cursors: the `next_cursor` of a page, which a client sends back to get the next page.
 *
 * @module
 */
import { encodeBase64 } from "../../../http/base64.ts";

/** The position at which a page begins. Sent to the client as an opaque text. */
export interface Cursor {
  /** The number of items before the page. Used if the item with `key` was deleted. */
  readonly offset: number;
  /** The id of the last item before the page; empty if unknown. */
  readonly key: string;
}

/** The prefix of a cursor before it is base64-encoded. It distinguishes gw's cursors from other texts. */
const MARK = "gw:";
/** Limit of a text that is decoded. Cursors of gw are shorter. */
const MOST_LENGTH = 4_000;

export function encodeCursor({ offset, key }: Cursor): string {
  const bytes = new TextEncoder().encode(`${MARK}${offset}:${key}`);
  return encodeBase64(bytes, "base64url");
}

/** Decodes a cursor; `undefined` if gw didn't make the text. */
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
