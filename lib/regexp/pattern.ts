import type { AST } from "@eslint-community/regexpp";
import { createLanguages } from "./derivative.ts";

/** Tells which texts a pattern matches. */
export interface Pattern {
  readonly test: (text: string) => boolean;
}

/**
 * Reads a `pattern` of a schema; `undefined` for text that is no regular expression of ECMA-262: such a pattern forbids
 * nothing.
 */
export type ReadPattern = (pattern: string) => Pattern | undefined;

/** The parser of regular expressions, as `@eslint-community/regexpp` has it. */
export interface PatternParser {
  parsePattern(source: string, start?: number, end?: number, flags?: { unicode?: boolean }): AST.Pattern;
}

/** The longest pattern that is looked into; longer ones are lists of words, or hostile. */
export const LONGEST_PATTERN = 5_000;

/** Makes a reader that reads each pattern once. Imports the parser of regular expressions. */
export async function loadPatternReader(): Promise<ReadPattern> {
  const parser = await loadPatternParser();
  const patterns = new Map<string, Pattern | undefined>();
  return (written) => {
    if (!patterns.has(written)) patterns.set(written, readPattern(written, parser));
    return patterns.get(written);
  };
}

/** Imports the parser of regular expressions. */
export async function loadPatternParser(): Promise<PatternParser> {
  const { RegExpParser } = await import("@eslint-community/regexpp");
  return new RegExpParser();
}

/**
 * The flags that a pattern is to be read with: with Unicode semantics where it is written for them (2020-12, section
 * 6.4), else as it can be read.
 *
 * @returns `undefined` for text that is no regular expression.
 */
export function flagsOf(pattern: string): "u" | "" | undefined {
  return (["u", ""] as const).find((flags) => {
    try {
      // Some patterns are found to be too large only when they are first used, on Latin-1 or on other text.
      const expression = new RegExp(pattern, flags);
      expression.test("");
      expression.test("\u2028");
      return true;
    } catch {
      return false;
    }
  });
}

function readPattern(written: string, parser: PatternParser): Pattern | undefined {
  const flags = flagsOf(written);
  if (flags === undefined) return undefined;
  const expression = new RegExp(written, flags);
  // Only a choice can make a text take long: how often something is there, or which alternative it is.
  if (!/[*+?|]|\{\d/.test(written)) return expression;
  const parsed = tryParse(written, flags, parser);
  const longest = parsed === undefined ? 0 : longestFor(parsed);
  if (longest === Infinity) return expression;
  let walk: Pattern | undefined;
  if (parsed === undefined || written.length > LONGEST_PATTERN) {
    return { test: (text) => text.length > longest || expression.test(text) };
  }
  return { test: (text) => (text.length <= longest ? expression : walk ??= walking(parsed, flags)).test(text) };
}

/** Steps of backtracking that nobody notices. */
const MOST_STEPS = 1e7;
const MOST_BITS = Math.log2(MOST_STEPS);
/** A text that a pattern can be tried on even if each further character doubles the steps. */
const SHORT = 16;

/** A pattern that V8 understands, as a tree; `undefined` when it is nested too deep for one. */
function tryParse(written: string, flags: "u" | "", parser: PatternParser): AST.Pattern | undefined {
  try {
    return parser.parsePattern(written, 0, written.length, { unicode: flags === "u" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The length of a text up to which backtracking is quick: at most about {@linkcode MOST_STEPS}. */
export function longestFor(pattern: AST.Pattern): number {
  const bits = bitsOf(pattern);
  if (bits > MOST_BITS) return 0;
  // Each character of a text may double the ways, or do worse where there are alternatives.
  if (backtracks(pattern)) return looksBack(pattern) ? Math.floor(SHORT / Math.max(1, bits)) : 0;
  const starts = pattern.alternatives.every(({ elements: [first] }) =>
    first?.type === "Assertion" && first.kind === "start"
  );
  // Each repetition may end anywhere in the text, and the whole match begin anywhere.
  const degree = repetitionsIn(pattern) + (starts ? 0 : 1);
  if (degree === 0 || (degree === 1 && bits === 0)) return Infinity;
  return Math.floor((MOST_STEPS / 2 ** bits) ** (1 / degree));
}

/**
 * The ways in which a pattern can match one text, repetitions without an end left aside, as their binary logarithm:
 * `(a?){30}` has 30 bits.
 */
function bitsOf(element: AST.Element | AST.Pattern): number {
  if (element.type === "Quantifier") {
    const inside = bitsOf(element.element);
    return element.max > MANY ? inside : element.max * inside + Math.log2(element.max - element.min + 1);
  }
  if ("alternatives" in element) {
    const ways = element.alternatives.map(({ elements }) => 2 ** elements.reduce((sum, part) => sum + bitsOf(part), 0));
    return Math.log2(ways.reduce((sum, some) => sum + some, 0));
  }
  return 0;
}

/** How many repetitions a pattern has, one after the other or in each other. */
function repetitionsIn(element: AST.Element | AST.Pattern): number {
  if (element.type === "Quantifier") {
    const inside = repetitionsIn(element.element);
    return element.max > MANY ? 1 + inside : inside * element.max;
  }
  return partsOf(element).reduce((sum, part) => sum + repetitionsIn(part), 0);
}

/**
 * A pattern that is matched character by character, so that the time grows with the text and not with its powers. What
 * it asks of the text before a place is taken for fulfilled, and it matches all texts that it can't tell in few steps.
 */
function walking(parsed: AST.Pattern, flags: "u" | ""): Pattern {
  const languages = createLanguages(flags);
  const start = languages.matching(parsed, false);
  return {
    test: (text) => {
      let language = start;
      for (const character of flags === "u" ? text : text.split("")) {
        if (languages.size() > MOST_LANGUAGES) return true;
        language = languages.after(language, character.codePointAt(0) ?? 0);
        if (language.kind === "nothing" || language.kind === "everything") break;
      }
      return languages.admitsEnd(language);
    },
  };
}

/** What a pattern may come down to, in the course of all texts. */
const MOST_LANGUAGES = 20_000;

/** Whether a pattern can match the same text in a number of ways that grows exponentially with its length. */
function backtracks(element: AST.Element | AST.Pattern): boolean {
  if (element.type !== "Quantifier") return partsOf(element).some(backtracks);
  return (element.max > MANY && isAmbiguous(element.element)) || backtracks(element.element);
}

/** Repetitions that add up to more than anybody waits for. */
const MANY = 10;

function isAmbiguous(element: AST.Element): boolean {
  if (element.type === "Quantifier") return element.min !== element.max || isAmbiguous(element.element);
  const isGroup = element.type === "Group" || element.type === "CapturingGroup";
  return (isGroup && element.alternatives.length > 1) || partsOf(element).some(isAmbiguous);
}

/** Whether a pattern depends on what stands before a place, which matching character by character doesn't know. */
function looksBack(element: AST.Element | AST.Pattern): boolean {
  if (element.type === "Backreference") return true;
  if (element.type === "Assertion" && (element.kind === "lookbehind" || element.kind === "word")) return true;
  return element.type === "Quantifier" ? looksBack(element.element) : partsOf(element).some(looksBack);
}

function partsOf(element: AST.Element | AST.Pattern): AST.Element[] {
  return "alternatives" in element ? element.alternatives.flatMap(({ elements }) => elements) : [];
}
