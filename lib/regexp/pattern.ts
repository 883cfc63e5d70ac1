import type { AST } from "@eslint-community/regexpp";
import { longestSafeText } from "./backtracking.ts";
import { Derivatives } from "./derivative.ts";
import type { Expression } from "./expression.ts";
import { flagsOf, loadPatternParser, LONGEST_PATTERN, type PatternParser, tryParse } from "./parse.ts";

export interface Pattern {
  readonly test: (text: string) => boolean;
}

/**
 * Makes the test for the value of the keyword `pattern`; `undefined` for text that is no regular expression of
 * ECMA-262, which allows all strings.
 */
export type ReadPattern = (pattern: string) => Pattern | undefined;

/** Imports the parser of regular expressions and makes a function that parses each pattern once. */
export async function loadPatternReader(): Promise<ReadPattern> {
  const parser = await loadPatternParser();
  const patterns = new Map<string, Pattern | undefined>();
  return (written) => {
    if (!patterns.has(written)) patterns.set(written, readPattern(written, parser));
    return patterns.get(written);
  };
}

/**
 * Makes a test that is fast for all texts: the JavaScript engine matches texts that are short enough for backtracking,
 * derivatives match longer ones. Longer texts of a pattern that is too large for derivatives are assumed to match.
 */
function readPattern(written: string, parser: PatternParser): Pattern | undefined {
  const flags = flagsOf(written);
  if (flags === undefined) return undefined;
  const expression = new RegExp(written, flags);
  // A pattern without quantifiers and alternatives needs no backtracking, so the engine matches texts of any length.
  if (!/[*+?|]|\{\d/.test(written)) return expression;
  const parsed = tryParse(written, flags, parser);
  const longest = parsed === undefined ? 0 : longestSafeText(parsed);
  if (longest === Infinity) return expression;
  if (parsed === undefined || written.length > LONGEST_PATTERN) {
    return { test: (text) => text.length > longest || expression.test(text) };
  }
  let linear: LinearPattern | undefined;
  return {
    test: (text) => (text.length <= longest ? expression : linear ??= new LinearPattern(parsed, flags)).test(text),
  };
}

/** Limit of the distinct derivatives of one pattern, which take memory; beyond it, texts are assumed to match. */
const MOST_EXPRESSIONS = 20_000;

/**
 * Matches texts by derivatives, with one step for each character. Look-behind is assumed to match, and so are texts
 * that need more than {@linkcode MOST_EXPRESSIONS} derivatives.
 *
 * @internal Left out of the npm library's declarations, since the types of the parser can't be copied into them.
 */
export class LinearPattern implements Pattern {
  readonly #derivatives: Derivatives;
  readonly #start: Expression;
  readonly #isUnicode: boolean;

  /**
   * @param pattern The pattern, as parsed with the flags.
   * @param flags Its flags: `u` or the empty string.
   */
  constructor(pattern: AST.Pattern, flags: "u" | "") {
    this.#derivatives = new Derivatives(flags, "assumed");
    this.#start = this.#derivatives.read(pattern, false);
    this.#isUnicode = flags === "u";
  }

  /** The number of distinct derivatives so far. Making them is the only work beyond one step for each character. */
  get size(): number {
    return this.#derivatives.size;
  }

  test(text: string): boolean {
    let expression = this.#start;
    for (const character of this.#isUnicode ? text : text.split("")) {
      if (this.size > MOST_EXPRESSIONS) return true;
      expression = this.#derivatives.derive(expression, character.codePointAt(0) ?? 0);
      if (expression.kind === "nothing" || expression.kind === "anything") break;
    }
    return this.#derivatives.acceptsEmpty(expression);
  }
}
