import type { AST } from "@eslint-community/regexpp";
import { longestSafeText, looksBack } from "./backtracking.ts";
import { compilesQuickly } from "./compile_work.ts";
import { Derivatives } from "./derivative.ts";
import type { Expression } from "./expression.ts";
import { loadPatternParser, LONGEST_PATTERN, parsePattern, type PatternParser } from "./parse.ts";
import { type Steps, withinSteps } from "./steps.ts";

export interface Pattern {
  readonly test: (text: string) => boolean;
  /**
   * What isn't matched, but assumed to match: `all`, the whole pattern, because it is too large; `behind`, its
   * look-behind and back-references, because to match them could take too long.
   */
  readonly assumes?: "all" | "behind";
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

const ANY: Pattern = { test: () => true, assumes: "all" };

/**
 * Makes a test that is fast for all texts: the JavaScript engine matches texts that are short enough for backtracking,
 * if it compiles the pattern quickly; derivatives match others. A pattern that is too large for both is assumed to
 * match.
 */
function readPattern(written: string, parser: PatternParser): Pattern | undefined {
  const read = parsePattern(written, parser);
  if (read.kind === "invalid") return undefined;
  if (read.kind === "unread") return ANY;
  const { pattern, flags } = read;
  const engine = compile(written, pattern, flags);
  if (engine?.longest === Infinity) return engine.expression;
  const longest = engine?.longest ?? 0;
  if (written.length > LONGEST_PATTERN) {
    return engine === undefined ? ANY : { test: (text) => text.length > longest || engine.expression.test(text) };
  }
  let linear: LinearPattern | undefined;
  return {
    test: (text) => {
      if (engine !== undefined && text.length <= longest) return engine.expression.test(text);
      return (linear ??= new LinearPattern(pattern, flags)).test(text);
    },
    ...(engine === undefined && looksBack(pattern) ? { assumes: "behind" } : {}),
  };
}

/**
 * Compiles a pattern for the JavaScript engine, with the length of the longest text that it matches quickly. This is
 * the only place where a pattern from outside reaches the engine.
 *
 * @param written The pattern.
 * @param pattern The same pattern, parsed with `flags`.
 * @param options Further flags, such as `g`.
 * @returns `undefined` if to compile the pattern, or to match any text, may take long.
 */
export function compile(
  written: string,
  pattern: AST.Pattern,
  flags: "u" | "",
  options = "",
): { readonly expression: RegExp; readonly longest: number } | undefined {
  const longest = longestSafeText(pattern);
  if (longest === 0 || !compilesQuickly(pattern, flags)) return undefined;
  try {
    return { expression: new RegExp(written, flags + options), longest };
  } catch {
    // An older engine lacks syntax that the parser knows, such as modifiers.
    return undefined;
  }
}

/** Limit of the distinct derivatives of one pattern, which take memory; beyond it, texts are assumed to match. */
const MOST_EXPRESSIONS = 20_000;
/** Limit of the steps for one text: in all, and for each character. A pattern that exceeds it matches all texts. */
const MOST_STEPS = { whole: 500_000, character: 20 };

/**
 * Matches texts by derivatives, with one step for each character. Look-behind is assumed to match, and so are texts
 * that need more than {@linkcode MOST_EXPRESSIONS} derivatives, or more than {@linkcode MOST_STEPS}.
 *
 * @internal Left out of the npm library's declarations, since the types of the parser can't be copied into them.
 */
export class LinearPattern implements Pattern {
  readonly #steps: Steps = { left: MOST_STEPS.whole };
  readonly #derivatives: Derivatives;
  /** `undefined` if the pattern is too large. */
  #start: Expression | undefined;
  readonly #isUnicode: boolean;

  /**
   * @param pattern The pattern, as parsed with the flags.
   * @param flags Its flags: `u` or the empty string.
   */
  constructor(pattern: AST.Pattern, flags: "u" | "") {
    this.#derivatives = new Derivatives(flags, "assumed", this.#steps);
    this.#start = withinSteps(() => this.#derivatives.read(pattern, false), () => undefined);
    this.#isUnicode = flags === "u";
  }

  /** The number of distinct derivatives so far. Making them is the only work beyond one step for each character. */
  get size(): number {
    return this.#derivatives.size;
  }

  test(text: string): boolean {
    const start = this.#start;
    if (start === undefined) return true;
    this.#steps.left = MOST_STEPS.whole + text.length * MOST_STEPS.character;
    return withinSteps(() => this.#matches(start, text), () => {
      this.#start = undefined;
      return true;
    });
  }

  #matches(start: Expression, text: string): boolean {
    let expression = start;
    for (const character of this.#isUnicode ? text : text.split("")) {
      if (this.size > MOST_EXPRESSIONS) return true;
      expression = this.#derivatives.derive(expression, character.codePointAt(0) ?? 0);
      if (expression.kind === "nothing" || expression.kind === "anything") break;
    }
    return this.#derivatives.acceptsEmpty(expression);
  }
}
