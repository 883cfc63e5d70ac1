/**
 * Opaque cursors: texts that tell a client's next request where its page begins.
 *
 * @module
 */

/** The place where a page begins. */
export interface Cursor {
  /** The number of items before the page, for when the item is gone. */
  readonly offset: number;
  /** The id of the last item before the page; empty if unknown. */
  readonly key: string;
}

/** The beginning of each cursor before it is encoded, which tells it from other texts. */
const MARK = "gw:";
/** The longest text that is decoded; ids are shorter. */
const MOST_LENGTH = 4_000;

/** The text of a cursor. */
export function encodeCursor({ offset, key }: Cursor): string {
  const bytes = new TextEncoder().encode(`${MARK}${offset}:${key}`);
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Reads a cursor; `undefined` if a text isn't one. */
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
