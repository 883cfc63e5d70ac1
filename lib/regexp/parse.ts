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

/** The longest pattern that is parsed at all, in UTF-16 code units. */
const LONGEST_PARSED = 50_000;
/** The most groups. The parser takes time in proportion to the square of the number of named ones. */
const MOST_GROUPS = 2_000;
/** The deepest nesting of groups. The parser, and all that reads its result, are recursive. */
const DEEPEST = 200;

/** A pattern as the parser reads it. */
export type ReadResult =
  | { readonly kind: "pattern"; readonly pattern: AST.Pattern; readonly flags: "u" | "" }
  /** The text is no regular expression. */
  | { readonly kind: "invalid" }
  /** The text is too long, or nested too deep, to be read. */
  | { readonly kind: "unread" };

/**
 * Parses a pattern of ECMA-262, with Unicode semantics (flag `u`; JSON Schema 2020-12 core, section 6.4) if it is valid
 * with them. The JavaScript engine isn't asked: to compile a pattern may take exponential time.
 */
export function parsePattern(written: string, parser: PatternParser): ReadResult {
  if (isTooLarge(written)) return { kind: "unread" };
  for (const flags of ["u", ""] as const) {
    const pattern = tryParse(written, flags, parser);
    if (pattern !== undefined) return { kind: "pattern", pattern, flags };
  }
  return { kind: "invalid" };
}

/** Parses a pattern with flags; `undefined` if it isn't valid with them, too long, or nested too deep. */
export function tryParse(written: string, flags: "u" | "", parser: PatternParser): AST.Pattern | undefined {
  if (isTooLarge(written)) return undefined;
  try {
    return parser.parsePattern(written, 0, written.length, { unicode: flags === "u" });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isTooLarge(written: string): boolean {
  return written.length > LONGEST_PARSED || hasTooManyGroups(written);
}

/** Whether a pattern has too many groups, or nests them too deep. Parentheses in classes and escapes don't count. */
function hasTooManyGroups(written: string): boolean {
  let [groups, depth] = [0, 0];
  for (const [token] of written.matchAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]?|[()]/g)) {
    if (token === ")") depth = Math.max(0, depth - 1);
    if (token === "(" && (++groups > MOST_GROUPS || ++depth > DEEPEST)) return true;
  }
  return false;
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
