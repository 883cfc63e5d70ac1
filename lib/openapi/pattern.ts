import type { AST } from "@eslint-community/regexpp";
import { createLanguages } from "./language.ts";

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
  // Only a repeated group can make a text of a few characters take forever.
  if (written.length <= LONGEST_PATTERN && /\)(?:[*+]|\{\d)/.test(written)) {
    const parsed = parser.parsePattern(written, 0, written.length, { unicode: flags === "u" });
    if (backtracks(parsed) && !looksBack(parsed)) return walking(parsed, flags);
  }
  return new RegExp(written, flags);
}

/** A pattern that is matched character by character, so that the time grows with the text and not with its powers. */
function walking(parsed: AST.Pattern, flags: "u" | ""): Pattern {
  const languages = createLanguages(flags);
  const start = languages.matching(parsed, false);
  return {
    test: (text) => {
      let language = start;
      for (const character of flags === "u" ? text : text.split("")) {
        language = languages.after(language, character.codePointAt(0) ?? 0);
        if (language.kind === "nothing" || language.kind === "everything") break;
      }
      return languages.admitsEnd(language);
    },
  };
}

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
