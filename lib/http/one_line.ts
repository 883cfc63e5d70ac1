/**
 * Texts of others, such as a definition's, as they may stand in a line of a terminal, a log or a report.
 *
 * @module
 */

/**
 * Matches control characters (Unicode's category Cc), line and paragraph separators, and characters that change the
 * direction of writing.
 *
 * @see {@link https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters Unicode Standard Annex 9, section 2}
 */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Matches what isn't printable ASCII. Nearly all texts have none, which this test finds many times faster than `CONTROLS`. */
const UNUSUAL = /[^\x20-\x7e]/;

/**
 * Formats a text as one line: a tab becomes a space, and each other character that could break the line, control a
 * terminal or reorder what is shown becomes U+FFFD.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(oneLine("Todo\nListening on http://evil.example"), "Todo\ufffdListening on http://evil.example");
 * ```
 */
export function oneLine(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text.replace(CONTROLS, (control) => control === "\t" ? " " : "\ufffd");
}

/** Formats each line of a text as {@linkcode oneLine} does, where a text may have several. */
export function cleanLines(text: string): string {
  return text.split("\n").map(oneLine).join("\n");
}

/**
 * Writes a value as JSON. Escapes what {@linkcode oneLine} replaces: a reader of JSON loses nothing.
 *
 * @param indent The number of spaces by which a level is indented. Default: the value is one line.
 */
export function jsonText(value: unknown, indent = 0): string {
  return escapeControls(JSON.stringify(value, undefined, indent));
}

/** Escapes what {@linkcode oneLine} replaces in a text of JSON. In JSON, only strings contain any. */
export function escapeControls(json: string): string {
  return json.replace(
    CONTROLS,
    (control) => control === "\n" ? control : `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a text has such characters other than tabs and the ends of its lines. */
export function hasControls(text: string): boolean {
  // The test of ASCII alone is faster, and enough for nearly all texts.
  return /[^\x20-\x7e\n]/.test(text) &&
    /[^\P{Cc}\n\t\r]|\r(?!\n)|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text);
}
