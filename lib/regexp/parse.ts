import type { AST } from "@eslint-community/regexpp";

/** The used part of `@eslint-community/regexpp`, declared so that the package can be imported dynamically. */
export interface PatternParser {
  parsePattern(source: string, start?: number, end?: number, flags?: { unicode?: boolean }): AST.Pattern;
}

/**
 * The longest pattern that is parsed for derivatives, in UTF-16 code units. Longer ones are lists of words, or hostile.
 */
export const LONGEST_PATTERN = 5_000;

export async function loadPatternParser(): Promise<PatternParser> {
  const { RegExpParser } = await import("@eslint-community/regexpp");
  return new RegExpParser();
}

/**
 * The flags with which a pattern is a valid regular expression: `u` if it is valid with Unicode semantics (JSON Schema
 * 2020-12 core, section 6.4), else the empty string.
 *
 * @returns `undefined` for text that is no regular expression.
 */
export function flagsOf(pattern: string): "u" | "" | undefined {
  return (["u", ""] as const).find((flags) => {
    try {
      // V8 refuses some large patterns only when it compiles them: once at the first Latin-1 text, once at the first
      // other text. So the pattern is matched against one text of each encoding.
      const expression = new RegExp(pattern, flags);
      expression.test("");
      expression.test("\u2028");
      return true;
    } catch {
      return false;
    }
  });
}

/** Parses a pattern that V8 accepts; `undefined` if the pattern is nested too deep for the recursive parser. */
export function tryParse(pattern: string, flags: "u" | "", parser: PatternParser): AST.Pattern | undefined {
  try {
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: flags === "u" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Rewrites a pattern that is valid only without the flag `u`, such as `^]$`, so that it is valid with it: writes each
 * character as its code point, `\u{5d}`.
 */
export function toUnicodePattern(pattern: AST.Pattern): string {
  let text = "";
  let at = 0;
  for (const { start, end, value } of joinSurrogates(charactersIn(pattern))) {
    text += `${pattern.raw.slice(at, start)}\\u{${value.toString(16)}}`;
    at = end;
  }
  return text + pattern.raw.slice(at);
}

type LocatedCharacter = Pick<AST.Character, "start" | "end" | "value">;

function charactersIn(node: AST.Pattern | AST.Element | AST.CharacterClassElement): AST.Character[] {
  switch (node.type) {
    case "Character":
      return [node];
    case "CharacterClass":
      return node.elements.flatMap((element) => charactersIn(element));
    case "CharacterClassRange":
      return [node.min, node.max];
    case "Quantifier":
      return charactersIn(node.element);
    default:
      return "alternatives" in node && node.type !== "ClassStringDisjunction"
        ? node.alternatives.flatMap((alternative) => "elements" in alternative ? alternative.elements : [])
          .flatMap((element) => charactersIn(element))
        : [];
  }
}

/** Joins surrogate pairs: without the flag `u`, the parser reads a character beyond U+FFFF as two. */
function joinSurrogates(characters: readonly LocatedCharacter[]): LocatedCharacter[] {
  const joined: LocatedCharacter[] = [];
  for (const character of characters) {
    const before = joined.at(-1);
    const isPair = before !== undefined && before.end === character.start && before.value >= 0xd800 &&
      before.value <= 0xdbff && character.value >= 0xdc00 && character.value <= 0xdfff;
    if (!isPair) {
      joined.push(character);
      continue;
    }
    const value = (before.value - 0xd800) * 0x400 + (character.value - 0xdc00) + 0x10000;
    joined[joined.length - 1] = { start: before.start, end: character.end, value };
  }
  return joined;
}
