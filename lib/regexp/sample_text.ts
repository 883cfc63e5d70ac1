import type { AST } from "@eslint-community/regexpp";
import { createLanguages, type Language, type Languages, shortestMatch } from "./derivative.ts";
import { flagsOf, LONGEST_PATTERN, type PatternParser } from "./pattern.ts";
import { integer, type Random } from "./random.ts";
import { toUnicodePattern } from "./unicode_pattern.ts";

/** What a text has to be. */
export interface TextDemand {
  /** Patterns that it has to match, each of them a regular expression of ECMA-262. */
  readonly patterns: readonly string[];
  /** Length in characters. */
  readonly minLength: number;
  readonly maxLength: number;
  /** Whether the text may have more in it than the patterns ask for, where they match anywhere in a text. */
  readonly isFree?: boolean;
}

/** Makes texts that match patterns. */
export interface TextWriter {
  /** A text; `undefined` where the search ended without one. */
  readonly write: (demand: TextDemand, random: Random) => string | undefined;
  /** A pattern that needs more characters than a text may have. */
  readonly tooLong: (demand: TextDemand) => string | undefined;
}

/** Steps of one search. */
const MOST_STEPS = 10_000;
/** The length of a text whose pattern would allow more, at the most. */
const USUAL_LENGTH = 12;

/** Makes a writer of texts that match patterns. Patterns are read once. */
export function createTextWriter(parser: PatternParser): TextWriter {
  const groups = new Map<string, PatternGroup>();

  return {
    write: (demand, random) => {
      const { languages, whole, free } = groupOf(demand.patterns);
      return (demand.isFree ? undefined : search(languages, whole, demand, random)) ??
        search(languages, free(), demand, random);
    },
    tooLong: ({ patterns, maxLength }) => {
      if (maxLength === Infinity || patterns.length === 0) return undefined;
      const { parsed } = groupOf(patterns);
      return parsed.find((pattern) => shortestMatch(pattern) > maxLength)?.raw;
    },
  };

  function groupOf(patterns: readonly string[]): PatternGroup {
    const key = JSON.stringify(patterns);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, group = readPatterns(patterns));
    return group;
  }

  function readPatterns(written: readonly string[]): PatternGroup {
    const flags = new Map(written.map((pattern) => [pattern, flagsOf(pattern)]));
    const patterns = written.filter((pattern) => pattern.length <= LONGEST_PATTERN && flags.get(pattern) !== undefined);
    // A stray bracket makes a pattern legacy. Patterns with Unicode semantics can't be read so, the reverse can.
    const unicode = patterns.length === 0 || patterns.some((pattern) => flags.get(pattern) === "u");
    const languages = createLanguages(unicode ? "u" : "");
    const parsed = patterns.flatMap((pattern) => {
      const own = parser.parsePattern(pattern, 0, pattern.length, { unicode: flags.get(pattern) === "u" });
      if (!unicode || flags.get(pattern) === "u") return [own];
      const text = toUnicodePattern(own);
      // A part without a form in Unicode mode is left out: the finished text is validated anyway.
      return flagsOf(text) === "u" ? [parser.parsePattern(text, 0, text.length, { unicode: true })] : [];
    });
    const texts = (whole: boolean): Language =>
      languages.both(...parsed.map((pattern) => languages.matching(pattern, whole)));
    let free: Language | undefined;
    return { languages, parsed, whole: texts(true), free: () => free ??= texts(false) };
  }
}

/** Patterns that one text has to match, read once. */
interface PatternGroup {
  readonly languages: Languages;
  readonly parsed: readonly AST.Pattern[];
  /** The texts that are nothing but what each pattern says. */
  readonly whole: Language;
  /** All texts that match. */
  readonly free: () => Language;
}

/** A text under way. */
interface Position {
  readonly language: Language;
  readonly text: string;
  readonly length: number;
  /** Characters to go on with, the best first. */
  readonly characters: readonly number[];
  /** How many of them were tried. */
  next: number;
  /** What lay behind those. */
  readonly tried: Set<Language>;
}

/**
 * Looks for a text of a language: any characters as far as the length that it should have, from there the shortest way
 * to an end. Gives up after a number of steps.
 */
function search(languages: Languages, start: Language, demand: TextDemand, random: Random): string | undefined {
  const { minLength, maxLength } = demand;
  const target = Math.max(minLength, Math.min(maxLength, integer(4, USUAL_LENGTH, random)));
  const steps = { left: MOST_STEPS };
  const deadEnds = new Set<Language>();
  const stack: Position[] = [];

  let arrived: string | undefined;
  if (languages.shortest(start) > maxLength) return undefined;
  enter(start, "", 0);
  while (arrived === undefined && steps.left-- > 0) {
    const position = stack.at(-1);
    if (position === undefined) return undefined;
    const { language, text, length, characters, tried } = position;
    const codePoint = characters[position.next++];
    if (codePoint === undefined) {
      if (length >= minLength && languages.admitsEnd(language)) return text;
      stack.pop();
      continue;
    }
    const next = languages.after(language, codePoint);
    if (tried.has(next) || length + 1 + languages.shortest(next) > maxLength) continue;
    tried.add(next);
    enter(next, text + String.fromCodePoint(codePoint), length + 1);
  }
  return arrived;

  function enter(language: Language, text: string, length: number): void {
    const isDone = language.kind === "end" || (language.kind === "everything" && !demand.isFree);
    if (length >= minLength && isDone) {
      arrived = text;
    } else if (length >= target) {
      const ending = findEnding(languages, language, maxLength - length, deadEnds, steps, random);
      if (ending !== undefined) arrived = text + ending;
    } else {
      const characters = shuffled(languages.beginnings(language), random);
      stack.push({ language, text, length, characters, next: 0, tried: new Set() });
    }
  }
}

/**
 * The shortest text of a language. What is known of the lengths of languages leads straight to it where that is exact;
 * else longer texts are tried until one ends.
 */
function findEnding(
  languages: Languages,
  start: Language,
  maxLength: number,
  deadEnds: Set<Language>,
  steps: { left: number },
  random: Random,
): string | undefined {
  if (languages.admitsEnd(start)) return "";
  for (let length = languages.shortest(start); length <= maxLength; length++) {
    const { text, isCut, seen } = endWithin(length);
    if (text !== undefined || steps.left <= 0) return text;
    if (isCut) continue;
    // Where the length cut nothing short, nothing lies beyond either.
    for (const language of seen) deadEnds.add(language);
    return undefined;
  }
  return undefined;

  function endWithin(most: number): { text?: string; isCut: boolean; seen: Iterable<Language> } {
    /** The most characters that languages are known not to end within. */
    const unending = new Map([[start, most]]);
    const stack = [{ characters: shuffled(languages.beginnings(start), random), language: start, next: 0 }];
    const text: number[] = [];
    let isCut = false;
    for (let at = stack.at(-1); at !== undefined && steps.left-- > 0; at = stack.at(-1)) {
      const codePoint = at.characters[at.next++];
      if (codePoint === undefined) {
        stack.pop();
        text.pop();
        continue;
      }
      const language = languages.after(at.language, codePoint);
      const shortest = languages.shortest(language);
      const left = most - stack.length;
      if (deadEnds.has(language) || shortest === Infinity) continue;
      if (shortest > left) {
        isCut = true;
      } else if ((unending.get(language) ?? -1) < left) {
        text.push(codePoint);
        if (languages.admitsEnd(language)) return { text: String.fromCodePoint(...text), isCut, seen: [] };
        unending.set(language, left);
        stack.push({ characters: shuffled(languages.beginnings(language), random), language, next: 0 });
      }
    }
    return { isCut, seen: unending.keys() };
  }
}

/** Characters with one of the readable ones first, if there are any; which one is left to chance. */
function shuffled(characters: readonly number[], random: Random): readonly number[] {
  const end = characters.findIndex((codePoint) => !isReadable(codePoint));
  const readable = end === -1 ? characters.length : end;
  const start = Math.floor(random() * (readable === 0 ? characters.length : readable));
  return start === 0 ? characters : [...characters.slice(start), ...characters.slice(0, start)];
}

/** Whether a code point is a small letter or a digit. */
function isReadable(codePoint: number): boolean {
  return (codePoint >= 0x61 && codePoint <= 0x7a) || (codePoint >= 0x30 && codePoint <= 0x39);
}
