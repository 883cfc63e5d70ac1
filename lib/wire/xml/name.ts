/**
 * Names of elements and attributes.
 *
 * A property may have any name, an element may not. What can't stand in a name is written as `_xHHHH_`, a convention of
 * SQL/XML (ISO/IEC 9075-14, section 9.1) and of .NET, which can be undone; no name at all is written as `_x_`.
 *
 * @module
 * @see {@link https://www.w3.org/TR/xml-names/#NT-NCName Namespaces in XML 1.0, NCName}
 */

const START =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}" +
  "\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const PART = `${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`;

const NAME = new RegExp(`^[${START}][${PART}]*$`, "u");
/** An escape that is part of the name itself, a wrong first character, a wrong other character. */
const TO_ESCAPE = new RegExp(`_(?=x(?:[0-9A-Fa-f]{4,6})?_)|^[^${START}]|[^${PART}]`, "gu");

/** The name without what can't stand in the name of an element. */
export function escapeName(name: string): string {
  if (NAME.test(name) && !name.includes("_x")) return name;
  return name === "" ? "_x_" : name.replace(TO_ESCAPE, escapeCharacter);
}

/** The name that was escaped. */
export function unescapeName(name: string): string {
  if (!name.includes("_x")) return name;
  if (name === "_x_") return "";
  return name.replace(/_x([0-9A-Fa-f]{4,6})_/g, (escaped, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : escaped;
  });
}

function escapeCharacter(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `_x${hex.padStart(4, "0")}_`;
}
