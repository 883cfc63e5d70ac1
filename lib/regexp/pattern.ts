import type { AST } from "@eslint-community/regexpp";
import { backtrackingSteps, hasModifiers, longestSafeText, looksBack } from "./backtracking.ts";
import { pathsToCompile } from "./compile_work.ts";
import { Derivatives } from "./derivative.ts";
import type { Expression } from "./expression.ts";
import { loadPatternParser, LONGEST_PATTERN, parsePattern, type PatternParser } from "./parse.ts";
import { SharedSteps, type Steps, withinSteps } from "./steps.ts";

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
  const work = {
    compiling: new SharedSteps(COMPILING),
    backtracking: new SharedSteps(BACKTRACKING),
    matching: new SharedSteps(MATCHING),
  };
  return (written) => {
    if (!patterns.has(written)) patterns.set(written, readPattern(written, parser, work));
    return patterns.get(written);
  };
}

/** The work of all patterns of one reader, such as those of a definition. */
interface PatternWork {
  readonly compiling: SharedSteps;
  readonly backtracking: SharedSteps;
  readonly matching: SharedSteps;
}

/** Limits of the paths that the engine follows when it compiles the patterns of one reader. */
const COMPILING = { shared: 40_000_000, each: 100_000 };
/** Limits of the engine's steps for the texts of one reader. Beyond them, derivatives match the texts that take more. */
const BACKTRACKING = { shared: 40_000_000, each: 500_000 };
/** Limits of the steps in which the patterns of one reader derive expressions, for each text and for all texts. */
const MATCHING = { shared: 400_000, each: 10_000 };

const ANY: Pattern = { test: () => true, assumes: "all" };

/**
 * Makes a test that is fast for all texts: the JavaScript engine matches texts that are short enough for backtracking,
 * if it compiles the pattern quickly; derivatives match others. A pattern that is too large for both is assumed to
 * match.
 */
function readPattern(written: string, parser: PatternParser, work: PatternWork): Pattern | undefined {
  const read = parsePattern(written, parser);
  if (read.kind === "invalid") return undefined;
  if (read.kind === "unread") return ANY;
  const { pattern, flags } = read;
  const engine = compile(written, pattern, flags, { work: work.compiling });
  if (engine?.longest === Infinity) return engine.expression;
  const longest = engine?.longest ?? 0;
  const stepsFor = backtrackingSteps(pattern, longest);
  const isQuick = (length: number): boolean => length <= longest && work.backtracking.take(stepsFor(length));
  // Derivatives don't know modifiers such as `(?i:a)`.
  if (written.length > LONGEST_PATTERN || hasModifiers(pattern)) {
    return engine === undefined ? ANY : { test: (text) => !isQuick(text.length) || engine.expression.test(text) };
  }
  let linear: LinearPattern | undefined;
  return {
    test: (text) => {
      if (engine !== undefined && isQuick(text.length)) return engine.expression.test(text);
      return (linear ??= new LinearPattern(pattern, flags, work.matching)).test(text);
    },
    ...(engine === undefined && looksBack(pattern) ? { assumes: "behind" } : {}),
  };
}

/**
 * Compiles a pattern for the JavaScript engine, with the length of the longest text that it matches quickly. This is
 * the only place where a pattern from outside reaches the engine.
 *
 * @internal Left out of the npm library's declarations, since the types of the parser can't be copied into them.
 * @param written The pattern.
 * @param pattern The same pattern, parsed with `flags`.
 * @param options.added Further flags, such as `g`.
 * @param options.work The work of all patterns that are compiled for one purpose.
 * @returns `undefined` if to compile the pattern, or to match any text, may take long.
 */
export function compile(
  written: string,
  pattern: AST.Pattern,
  flags: "u" | "",
  { added = "", work = new SharedSteps(COMPILING) }: { added?: string; work?: SharedSteps } = {},
): { readonly expression: RegExp; readonly longest: number } | undefined {
  const longest = longestSafeText(pattern);
  const paths = longest === 0 ? Infinity : pathsToCompile(pattern);
  if (paths === Infinity || !work.take(paths)) return undefined;
  try {
    return { expression: new RegExp(written, flags + added), longest };
  } catch {
    // An older engine lacks syntax that the parser knows, such as modifiers.
    return undefined;
  }
}

/** Limit of the distinct derivatives of one pattern, which take memory; beyond it, texts are assumed to match. */
const MOST_EXPRESSIONS = 20_000;
/** Steps for each character of a text. A pattern that exceeds its steps matches all texts. */
const STEPS_OF_CHARACTER = 1;

/**
 * Matches texts by derivatives, with one step for each character. Look-behind is assumed to match, and so are texts
 * that need more than {@linkcode MOST_EXPRESSIONS} derivatives, or more than {@linkcode MATCHING} allows.
 *
 * @internal Left out of the npm library's declarations, since the types of the parser can't be copied into them.
 */
export class LinearPattern implements Pattern {
  readonly #steps: Steps = { left: 0 };
  readonly #work: SharedSteps;
  readonly #derivatives: Derivatives;
  /** `undefined` if the pattern is too large. */
  #start: Expression | undefined;
  readonly #isUnicode: boolean;

  /**
   * @param pattern The pattern, as parsed with the flags.
   * @param flags Its flags: `u` or the empty string.
   * @param work The work of this and of other patterns.
   */
  constructor(pattern: AST.Pattern, flags: "u" | "", work: SharedSteps = new SharedSteps(MATCHING)) {
    this.#work = work;
    this.#derivatives = new Derivatives(flags, "match", this.#steps);
    const read = (): Expression => this.#derivatives.read(pattern, false);
    this.#start = withinSteps(() => work.run(this.#steps, 0, read), () => undefined);
    this.#isUnicode = flags === "u";
  }

  /** The number of distinct derivatives so far. Making them is the only work beyond one step for each character. */
  get size(): number {
    return this.#derivatives.size;
  }

  test(text: string): boolean {
    const start = this.#start;
    if (start === undefined) return true;
    const matches = (): boolean => this.#matches(start, text);
    return withinSteps(() => this.#work.run(this.#steps, text.length * STEPS_OF_CHARACTER, matches), () => {
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
