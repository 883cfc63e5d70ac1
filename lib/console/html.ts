/**
 * HTML as a template tag that escapes: `` markup`<td>${text}</td>` ``. A text can't become markup, and an attribute stays
 * in its quotes.
 *
 * @module
 */
import { cleanLines } from "../http/one_line.ts";

/** A piece of HTML, whose values are escaped. */
export class Html {
  readonly text: string;

  /** Only for texts of the program: what is from outside goes through {@linkcode markup}. */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: `undefined` and `false` leave nothing. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[];

/**
 * Makes HTML of a template. Texts are escaped, and characters that reorder a line or control a terminal become U+FFFD.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(String(markup`<b title="${'"'}">${"<i>"}</b>`), '<b title="&quot;">&lt;i&gt;</b>');
 * ```
 */
export function markup(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = strings[0] ?? "";
  for (let index = 0; index < values.length; index++) text += textOf(values[index]) + (strings[index + 1] ?? "");
  return new Html(text);
}

/** A text for the value of a form's field: escaped, but with every character, since the form sends it back. */
export function exact(text: string): Html {
  return new Html(escape(text));
}

function textOf(value: HtmlValue): string {
  if (typeof value === "string") return escape(cleanLines(value));
  if (value === undefined || value === false) return "";
  if (typeof value === "number") return String(value);
  return value instanceof Html ? value.text : value.map(textOf).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
