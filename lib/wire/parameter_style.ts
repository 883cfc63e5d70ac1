/**
 * Reads the styles that write a value into one text: those of path, header and cookie parameters, and delimited queries
 * such as `ids=1,2`. The text is split at its delimiters before percent-decoding, since a decoded value may contain a
 * delimiter.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#style-examples OpenAPI 3.1, Style Examples}
 * @see {@link https://www.rfc-editor.org/rfc/rfc6570#section-3.2 RFC 6570, section 3.2}
 */

import { type Text, textObject } from "./text_value.ts";

/** The form of a parameter's value, which decides how its style is read. */
export type Form = "scalar" | "array" | "object";

/** The result of reading a parameter. */
export type Reading =
  | { kind: "text"; text: Text }
  /** The text was JSON, for example, so that its value has types already. */
  | { kind: "value"; value: unknown }
  | { kind: "absent" }
  /**
   * The text doesn't have the syntax of the style. The message completes a sentence that begins with the parameter's
   * name.
   */
  | { kind: "malformed"; message: string };

/** The notation of a value that is written into one text. */
export interface Notation {
  form: Form;
  explode: boolean;
  /** Decodes a text between delimiters, for example by percent-decoding. */
  decode: (piece: string) => string;
}

/** Reads the style `simple`: `blue`, `blue,black`, `R,100,G,200`, `R=100,G=200`. */
export function readSimple(written: string, notation: Notation): Reading {
  if (notation.form === "scalar") return textOf(notation.decode(written));
  return readPieces(split(written, ","), notation);
}

/**
 * Reads the style `label`: `.blue`, `.blue,black`, `.blue.black`, `.R,100,G,200`, `.R=100.G=200`. Before
 * 3.0.4 and 3.1.1 the OpenAPI Specification showed `.blue.black` also for `explode: false`, so it is accepted where
 * there is no comma.
 */
export function readLabel(written: string, notation: Notation): Reading {
  if (!written.startsWith(".")) return { kind: "malformed", message: 'must start with "." (style label)' };
  const label = written.slice(1);
  if (notation.form === "scalar") return textOf(notation.decode(label));
  const separator = notation.explode || !label.includes(",") ? "." : ",";
  return readPieces(split(label, separator), notation);
}

/**
 * Reads the style `matrix`: `;color=blue`, `;color=blue,black`, `;color=blue;color=black`, `;color=R,100`,
 * `;R=100;G=200`.
 */
export function readMatrix(written: string, name: string, notation: Notation): Reading {
  if (!written.startsWith(";")) return { kind: "malformed", message: 'must start with ";" (style matrix)' };
  const pieces = split(written.slice(1), ";");
  if (notation.form === "object" && notation.explode) return readPieces(pieces, notation);
  const values: string[] = [];
  for (const piece of pieces) {
    const [key, value] = cut(piece, notation);
    if (key !== name) return { kind: "malformed", message: `must be written as ";${name}=…" (style matrix)` };
    values.push(value ?? "");
  }
  if (notation.form === "array" && notation.explode) return textOf(values.map(notation.decode));
  if (values.length !== 1) return { kind: "malformed", message: `must be written as ";${name}=…", once` };
  return readSimple(values[0] ?? "", notation);
}

/** Reads an array or object from a text with delimiters, which may be percent-encoded: `blue%20black`, `blue|black`. */
export function readDelimited(
  written: string,
  delimiter: string | RegExp,
  notation: Omit<Notation, "explode">,
): Reading {
  return readPieces(split(written, delimiter), { ...notation, explode: false });
}

/**
 * Makes an array of the texts between delimiters. An object has names and values in turn (`R,100,G,200`), or with
 * `explode` a text `name=value` for each property.
 */
function readPieces(pieces: readonly string[], notation: Notation): Reading {
  if (notation.form === "array") return textOf(pieces.map(notation.decode));
  if (notation.explode) {
    const members: [string, string][] = [];
    for (const piece of pieces) {
      const [name, value] = cut(piece, notation);
      if (value === undefined) return { kind: "malformed", message: `must be made of name=value, but has "${piece}"` };
      members.push([name, notation.decode(value)]);
    }
    return textOf(textObject(members));
  }
  if (pieces.length % 2 !== 0) {
    return { kind: "malformed", message: "must be made of names and values in turn, but the last name has no value" };
  }
  const decoded = pieces.map(notation.decode);
  const names = decoded.filter((_, index) => index % 2 === 0);
  return textOf(textObject(names.map((name, index) => [name, decoded[index * 2 + 1] ?? ""])));
}

function textOf(text: Text): Reading {
  return { kind: "text", text };
}

function split(written: string, separator: string | RegExp): string[] {
  return written === "" ? [] : written.split(separator);
}

/** Splits `name=value` at the first `=`. Only the name is decoded. */
function cut(piece: string, notation: Notation): [string, string | undefined] {
  const equals = piece.indexOf("=");
  if (equals < 0) return [notation.decode(piece), undefined];
  return [notation.decode(piece.slice(0, equals)), piece.slice(equals + 1)];
}
