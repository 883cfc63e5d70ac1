/** The first place where a text isn't JSON. */
interface Fault {
  readonly at: number;
  /** Default: the token at the place is unexpected. */
  readonly reason?: string;
}

/** The characters of a text that are shown on each side of an unexpected token. */
const CONTEXT = 10;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// deno-lint-ignore no-control-regex
const CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /["\\/bfnrt]/;

/**
 * Tells why a text isn't JSON, in the words of V8. Each runtime has its own words, and answers that quote them would
 * differ between runtimes.
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

/** Reads a text up to its first fault. */
class Scanner {
  readonly #text: string;
  #at = 0;
  /** The closing brackets of the objects and arrays that are open. */
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
   * Reads a scalar or an empty object or array, with the openings of the objects and arrays that it is the first value
   * of. Not recursive: clients may nest deeper than the stack.
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

  /** Reads what may follow a value: closing brackets, and a comma with the name of the next member. */
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

  /** The next character that isn't space; empty at the end. */
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
