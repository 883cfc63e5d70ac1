/**
 * Reads the styles that write a value into one text: those of path, header and cookie parameters, and delimited queries
 * such as `ids=1,2`. The text is split at its delimiters before percent-decoding, since a decoded value may contain a
 * delimiter. A text without any is split at percent-encoded delimiters: the encoders of Go, Python and JavaScript
 * (`url.Values`, `urlencode`, `URLSearchParams`) write `ids=1%2C2`.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#style-examples OpenAPI 3.1, Style Examples}
 * @see {@link https://www.rfc-editor.org/rfc/rfc6570#section-3.2 RFC 6570, section 3.2}
 */

import { type Delimiter, DELIMITERS } from "./delimiter.ts";
import { type Text, textObject } from "./text_value.ts";

/** The form of a parameter's value, which decides how its style is read. */
export type Form = "scalar" | "array" | "object";

/** The result of reading a parameter. */
export type ParameterReading =
  | {
    kind: "text";
    text: Text;
    /** The value if the delimiters at which `text` was split belong to the value. */
    whole?: Text;
  }
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
export function readSimple(written: string, notation: Notation): ParameterReading {
  if (notation.form === "scalar") return textOf(notation.decode(written));
  return readSplit(written, DELIMITERS.comma, notation);
}

/**
 * Reads the style `label`: `.blue`, `.blue,black`, `.blue.black`, `.R,100,G,200`, `.R=100.G=200`. Before
 * 3.0.4 and 3.1.1 the OpenAPI Specification showed `.blue.black` also for `explode: false`, so it is accepted where
 * there is no comma.
 */
export function readLabel(written: string, notation: Notation): ParameterReading {
  if (!written.startsWith(".")) return { kind: "malformed", message: 'must start with "." (style label)' };
  const label = written.slice(1);
  if (notation.form === "scalar") return textOf(notation.decode(label));
  if (notation.explode) return readSplit(label, DOT, notation);
  const split = readSplit(label, DELIMITERS.comma, notation);
  if (label.includes(",") || !label.includes(".")) return split;
  // Swagger UI and its client write `.blue.black%2C`. A number has dots too: `.0.5%2C1` is read so if the schema says.
  const dotted = readSplit(label, DOT, notation);
  if (dotted.kind !== "text") return split;
  return split.kind === "text" ? { ...dotted, whole: split.text } : dotted;
}

/**
 * Reads the style `matrix`: `;color=blue`, `;color=blue,black`, `;color=blue;color=black`, `;color=R,100`,
 * `;R=100;G=200`.
 */
export function readMatrix(written: string, name: string, notation: Notation): ParameterReading {
  // Encoders such as `encodeURIComponent` take the whole for a text: `%3Bcolor%3Dblue%2Cblack`.
  if (/^%3B/i.test(written) && notation.decode(";%3B") === ";;") {
    return readMatrix(notation.decode(written), name, { ...notation, decode: (piece) => piece });
  }
  if (!written.startsWith(";")) return { kind: "malformed", message: 'must start with ";" (style matrix)' };
  const pieces = splitAt(written.slice(1), ";");
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

const DOT: Delimiter = { plain: "." };

/** Reads an array or object from a text with delimiters: `blue,black`, `blue%20black`, `blue|black`. */
export function readDelimited(
  written: string,
  delimiter: Delimiter,
  notation: Omit<Notation, "explode">,
): ParameterReading {
  return readSplit(written, delimiter, { ...notation, explode: false });
}

/** Splits a text at its delimiters; if it has none, at percent-encoded ones. */
function readSplit(written: string, { plain, encoded }: Delimiter, notation: Notation): ParameterReading {
  const pieces = splitAt(written, plain);
  // Headers and cookies aren't percent-decoded, so that `%2C` is a text like any other there.
  const isEncoded = pieces.length === 1 && encoded?.test(written) === true && notation.decode("%2C") === ",";
  if (!isEncoded) return readPieces(pieces, notation);
  const reading = readPieces(splitAt(written, encoded), notation);
  const whole = readPieces(pieces, notation);
  if (whole.kind !== "text") return reading;
  return reading.kind === "text" ? { ...reading, whole: whole.text } : whole;
}

/**
 * Makes an array of the texts between delimiters. An object has names and values in turn (`R,100,G,200`), or with
 * `explode` a text `name=value` for each property.
 */
function readPieces(pieces: readonly string[], notation: Notation): ParameterReading {
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

function textOf(text: Text): ParameterReading {
  return { kind: "text", text };
}

function splitAt(written: string, separator: string | RegExp): string[] {
  return written === "" ? [] : written.split(separator);
}

/** Splits `name=value` at the first `=`; without one, at the first `%3D`. Only the name is decoded. */
function cut(piece: string, notation: Notation): [string, string | undefined] {
  const equals = /=/.exec(piece) ?? (notation.decode("%3D") === "=" ? /%3D/i.exec(piece) : null);
  if (equals === null) return [notation.decode(piece), undefined];
  return [notation.decode(piece.slice(0, equals.index)), piece.slice(equals.index + equals[0].length)];
}
