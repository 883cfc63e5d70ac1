import type { AST } from "@eslint-community/regexpp";

/**
 * Writes a pattern of the legacy syntax, such as `^]$`, so that it means the same with Unicode semantics: each character
 * as its code point.
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

/** A character of a pattern, by its place. */
type Place = Pick<AST.Character, "start" | "end" | "value">;

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

/** The legacy syntax takes a character beyond U+FFFF for two. */
function joinSurrogates(characters: readonly Place[]): Place[] {
  const joined: Place[] = [];
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
