/**
 * Decodes the bytes of a YAML or JSON text. Both may be in UTF-8, UTF-16 or UTF-32, which the first bytes tell.
 *
 * @module
 * @see {@link https://yaml.org/spec/1.2.2/#52-character-encodings YAML 1.2.2, section 5.2}
 */

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** The first bytes of a text in an encoding: a byte order mark, else the zeros around a character of ASCII. */
const STARTS: readonly (readonly [TextEncoding, readonly (number | "any")[]])[] = [
  ["utf-32be", [0x00, 0x00, 0xfe, 0xff]],
  ["utf-32be", [0x00, 0x00, 0x00, "any"]],
  ["utf-32le", [0xff, 0xfe, 0x00, 0x00]],
  ["utf-32le", ["any", 0x00, 0x00, 0x00]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16be", [0x00, "any"]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16le", ["any", 0x00]],
];

export function encodingOf(bytes: Uint8Array): TextEncoding {
  const found = STARTS.find(([, start]) =>
    bytes.length >= start.length && start.every((byte, index) => byte === "any" || byte === bytes[index])
  );
  return found?.[0] ?? "utf-8";
}

/**
 * Decodes a text, without its byte order mark.
 *
 * @param options `fatal`: whether an invalid sequence of bytes throws. Default: it becomes U+FFFD.
 * @throws {TypeError} If `fatal`, and the bytes are no text in their encoding.
 */
export function decodeText(bytes: Uint8Array, { fatal = false }: { fatal?: boolean } = {}): string {
  const encoding = encodingOf(bytes);
  switch (encoding) {
    case "utf-8":
    case "utf-16le":
    case "utf-16be":
      return new TextDecoder(encoding, { fatal }).decode(bytes);
    case "utf-32le":
    case "utf-32be":
      return decodeUtf32(bytes, encoding === "utf-32le", fatal);
  }
}

/** Code points that are turned into text at once. */
const CHUNK = 8_192;

function decodeUtf32(bytes: Uint8Array, isLittle: boolean, fatal: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  let points: number[] = [];
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const point = offset + 4 > bytes.length ? -1 : view.getUint32(offset, isLittle);
    const isCharacter = point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    if (!isCharacter && fatal) throw new TypeError("The bytes are no UTF-32.");
    if (offset > 0 || point !== 0xfeff) points.push(isCharacter ? point : 0xfffd);
    if (points.length < CHUNK) continue;
    parts.push(String.fromCodePoint(...points));
    points = [];
  }
  parts.push(String.fromCodePoint(...points));
  return parts.join("");
}
