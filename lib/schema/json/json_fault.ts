/** The first syntax error of a JSON text. */
interface Fault {
  readonly at: number;
  /** The message; by default, that the character at this place is unexpected. */
  readonly reason?: string;
}

/** Limit of the characters that a message quotes on each side of an unexpected one. */
const CONTEXT = 10;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// deno-lint-ignore no-control-regex
const CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /["\\/bfnrt]/;

/**
 * Finds the first syntax error of a JSON text, and words it as V8 does. The messages of `JSON.parse` differ between
 * runtimes, and responses that quote them would differ too.
 *
 * @param text A text that `JSON.parse` refuses.
 */
export function jsonFault(text: string): string {
  const { at, reason } = new Scanner(text).find();
  if (reason !== undefined) {
    const lines = text.slice(0, at).split(/\r\n|\r|\n/);
    return `${reason} in JSON at position ${at} (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`
      .replace("after JSON in JSON", "after JSON");
  }
  if (at >= text.length) return "Unexpected end of JSON input";
  if (/^(?:NaN|Infinity|undefined|\[object Object\])$/.test(text)) return `"${text}" is not valid JSON`;
  const start = Math.max(0, at - CONTEXT);
  const end = Math.min(text.length, at + CONTEXT);
  const isShort = text.length <= 2 * CONTEXT;
  const before = isShort || at < CONTEXT ? "" : "...";
  const after = isShort || at >= text.length - CONTEXT && at >= CONTEXT ? "" : "...";
  return `Unexpected token '${text.charAt(at)}', ${before}"${
    isShort ? text : text.slice(start, end)
  }"${after} is not valid JSON`;
}

class Scanner {
  readonly #text: string;
  #at = 0;
  /** The closing brackets of the objects and arrays that are open, the innermost last. */
  readonly #open: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  find(): Fault {
    for (;;) {
      const fault = this.#value() ?? this.#afterValue();
      if (fault !== undefined) return fault;
    }
  }

  /**
   * Reads a value: a scalar, an empty object or array, or the opening brackets up to the first scalar inside, as in
   * `[[1`. It isn't recursive, because a client could nest arrays deeper than the stack allows.
   */
  #value(): Fault | undefined {
    for (;;) {
      const character = this.#next();
      if (character === "{") {
        this.#at++;
        if (this.#next() === "}") return this.#close();
        this.#open.push("}");
        const fault = this.#name("Expected property name or '}'");
        if (fault !== undefined) return fault;
      } else if (character === "[") {
        this.#at++;
        if (this.#next() === "]") return this.#close();
        this.#open.push("]");
      } else return this.#scalar(character);
    }
  }

  #scalar(character: string): Fault | undefined {
    if (character === '"') return this.#string();
    if (character === "-" || character >= "0" && character <= "9") return this.#number();
    for (const literal of ["true", "false", "null"]) {
      if (character === literal.charAt(0) && character !== "") return this.#literal(literal);
    }
    return { at: this.#at };
  }

  /** Reads the text between two values: closing brackets, a comma, and the name of the next member of an object. */
  #afterValue(): Fault | undefined {
    for (;;) {
      const closing = this.#open.at(-1);
      const character = this.#next();
      if (closing === undefined) {
        return { at: this.#at, reason: "Unexpected non-whitespace character after JSON" };
      }
      if (character === closing) {
        this.#open.pop();
        this.#at++;
        continue;
      }
      if (character !== ",") {
        const what = closing === "}"
          ? "Expected ',' or '}' after property value"
          : "Expected ',' or ']' after array element";
        return { at: this.#at, reason: what };
      }
      this.#at++;
      return closing === "}" ? this.#name("Expected double-quoted property name") : undefined;
    }
  }

  #name(expected: string): Fault | undefined {
    if (this.#next() !== '"') return { at: this.#at, reason: expected };
    const fault = this.#string();
    if (fault !== undefined) return fault;
    if (this.#next() !== ":") return { at: this.#at, reason: "Expected ':' after property name" };
    this.#at++;
    return undefined;
  }

  #string(): Fault | undefined {
    this.#at++;
    for (;;) {
      this.#match(CHARACTERS);
      const character = this.#text.charAt(this.#at);
      if (character === "") return { at: this.#at, reason: "Unterminated string" };
      this.#at++;
      if (character === '"') return undefined;
      if (character !== "\\") return { at: this.#at - 1, reason: "Bad control character in string literal" };
      const escaped = this.#text.charAt(this.#at);
      if (escaped === "u") {
        const digits = /^[\da-fA-F]{0,4}/.exec(this.#text.slice(this.#at + 1, this.#at + 5))?.[0].length ?? 0;
        if (digits < 4) return { at: this.#at + 1 + digits, reason: "Bad Unicode escape" };
        this.#at += 5;
      } else if (ESCAPE.test(escaped)) this.#at++;
      else if (escaped === "") return { at: this.#at, reason: "Unterminated string" };
      else return { at: this.#at, reason: "Bad escaped character" };
    }
  }

  #number(): Fault | undefined {
    const start = this.#at;
    this.#match(NUMBER);
    const read = this.#text.slice(start, this.#at);
    const next = this.#text.charAt(this.#at);
    const isDigit = (character: string) => character >= "0" && character <= "9" && character !== "";
    if (read === "") return { at: start + 1, reason: "No number after minus sign" };
    if (/^-?0$/.test(read) && isDigit(next)) return { at: this.#at, reason: "Unexpected number" };
    if (next === "." && !read.includes(".") && !/e/i.test(read)) {
      return { at: this.#at + 1, reason: "Unterminated fractional number" };
    }
    if (/e/i.test(next) && next !== "" && !/e/i.test(read)) {
      const sign = /[+-]/.test(this.#text.charAt(this.#at + 1)) ? 1 : 0;
      return { at: this.#at + 1 + sign, reason: "Exponent part is missing a number" };
    }
    return undefined;
  }

  #literal(literal: string): Fault | undefined {
    for (const character of literal) {
      const found = this.#text.charAt(this.#at);
      if (found === '"') return { at: this.#at, reason: "Unexpected string" };
      if (/^[-\d]/.test(found)) return { at: this.#at, reason: "Unexpected number" };
      if (found !== character) return { at: this.#at };
      this.#at++;
    }
    return undefined;
  }

  #close(): undefined {
    this.#at++;
    return undefined;
  }

  /** Skips white space. Returns the next character; empty at the end of the text. */
  #next(): string {
    this.#match(SPACE);
    return this.#text.charAt(this.#at);
  }

  #match(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    pattern.exec(this.#text);
    this.#at = Math.max(this.#at, pattern.lastIndex);
  }
}
