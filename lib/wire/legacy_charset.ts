/**
 * Encodes texts in the encodings of the Encoding Standard that the runtime can only decode: UTF-16, windows-1252,
 * Shift_JIS and others.
 *
 * @module
 * @see {@link https://encoding.spec.whatwg.org/#legacy-single-byte-encodings Encoding Standard, sections 9 to 13}
 */
import type { Bytes } from "../http/handler.ts";

/** The bytes of each character of a charset that isn't in ASCII. */
type Table = ReadonlyMap<string, readonly number[]>;

/** The tables of encodings, made at the first use. */
const TABLES = new Map<string, Table>();

/** Makes the function that encodes texts in UTF-16, or in an encoding that has one or two bytes for most characters. */
export function legacyEncoder(charset: string): (text: string) => Bytes {
  if (charset.startsWith("utf-16")) return (text) => utf16Bytes(text, charset);
  const decoder = new TextDecoder(charset);
  let table = TABLES.get(decoder.encoding);
  if (table === undefined) TABLES.set(decoder.encoding, table = makeTable(decoder));
  const known = table;
  return (text) => bytesByTable(text, known);
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
