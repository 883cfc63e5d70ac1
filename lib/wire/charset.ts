/**
 * Encodes and decodes text in the charset of a media type.
 *
 * @module
 * @see {@link https://encoding.spec.whatwg.org/#names-and-labels Encoding Standard, section 4.2, Names and labels}
 */
import type { Bytes } from "../http/handler.ts";

const UTF_8 = /^utf-?8$/i;
const UTF_16 = /^utf-16(?:le|be)?$/i;

/** Tells whether a charset can encode all of Unicode. */
export function isUnicode(charset: string | undefined): boolean {
  return isUtf8(charset) || (charset !== undefined && UTF_16.test(charset));
}

/** Tells whether {@linkcode encodeText} encodes in UTF-8. */
export function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || UTF_8.test(charset) || (!UTF_16.test(charset) && tableOf(charset) === undefined);
}

/**
 * Encodes a text in a charset; in UTF-8 if the charset isn't supported. A character that the charset doesn't have
 * becomes a question mark.
 */
export function encodeText(text: string, charset: string | undefined): Bytes {
  if (charset === undefined || UTF_8.test(charset)) return new TextEncoder().encode(text);
  if (UTF_16.test(charset)) return utf16Bytes(text, charset.toLowerCase());
  const table = tableOf(charset);
  return table === undefined ? new TextEncoder().encode(text) : bytesByTable(text, table);
}

/** Decodes bytes in a charset; `undefined` for bytes that are invalid in the charset, or for an unknown charset. */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
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

/** The bytes of each character of a charset that isn't in ASCII. */
type Table = ReadonlyMap<string, readonly number[]>;

/** The tables of charsets; `undefined` for a charset that has none. They are made at the first use. */
const TABLES = new Map<string, Table | undefined>();

/** Encodings of the Encoding Standard that have no table: they encode all of Unicode, or change state within a text. */
const WITHOUT_TABLE: ReadonlySet<string> = new Set(["utf-8", "utf-16le", "utf-16be", "iso-2022-jp", "replacement"]);

/** The runtime can decode the charsets of the Encoding Standard, but not encode them. */
function tableOf(charset: string): Table | undefined {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    return undefined;
  }
  const { encoding } = decoder;
  if (WITHOUT_TABLE.has(encoding)) return undefined;
  let table = TABLES.get(encoding);
  if (table === undefined) TABLES.set(encoding, table = makeTable(decoder));
  return table;
}

/** Decodes each byte that is a character of its own, and each pair that begins with another one. */
function makeTable(decoder: TextDecoder): Table {
  const table = new Map<string, readonly number[]>();
  const add = (codes: readonly number[][]): number[][] => {
    const characters = decoder.decode(new Uint8Array(codes.flatMap((bytes) => [...bytes, 0x0a]))).split("\n");
    return codes.filter((bytes, at) => {
      const character = characters[at] ?? "";
      const isOne = [...character].length === 1 && character !== "\ufffd";
      if (isOne && !table.has(character)) table.set(character, bytes);
      return !isOne;
    });
  };
  const leads = add(range(0x80, 0xff).map((byte) => [byte]));
  add(leads.flatMap((lead) => range(0x40, 0xfe).map((trail) => [...lead, trail])));
  return table;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function bytesByTable(text: string, table: Table): Bytes {
  const bytes: number[] = [];
  for (const character of text) {
    if (character <= "\x7f") bytes.push(character.charCodeAt(0));
    else bytes.push(...table.get(character) ?? [0x3f]);
  }
  return new Uint8Array(bytes);
}
