import type { AST } from "@eslint-community/regexpp";
import { Derivatives, shortestMatch } from "./derivative.ts";
import type { Expression } from "./expression.ts";
import { LONGEST_PATTERN, parsePattern, type PatternParser, toUnicodePattern } from "./parse.ts";
import { SharedSteps, type Steps, withinSteps } from "./steps.ts";

/** Constraints on a text. */
export interface TextConstraints {
  /** Regular expressions of ECMA-262, each of which has to match the text. */
  readonly patterns: readonly string[];
  /** Length in Unicode characters. */
  readonly minLength: number;
  readonly maxLength: number;
}

/** Returns a random number from 0 up to, but not including, 1. */
type Random = () => number;

/** Limit of the steps of one search for a sample text, each of which tries a character. */
const MOST_STEPS = 10_000;
/** Limits of the steps in which derivatives are made: for each sample text, and for all texts of one writer. */
const DERIVING = { shared: 250_000, each: 10_000 };
/** Range of the random length from which on the search looks for the shortest ending of the text. */
const USUAL_LENGTH = { least: 4, most: 12 };

/** Makes sample texts that match patterns. Each list of patterns is parsed once. */
export class SampleTextWriter {
  readonly #parser: PatternParser;
  readonly #groups = new Map<string, PatternGroup>();
  readonly #work = new SharedSteps(DERIVING);

  constructor(parser: PatternParser) {
    this.#parser = parser;
  }

  /**
   * Makes a text that matches all patterns within the bounds of its length.
   *
   * @param options.isFree Whether the text may have more characters before and after the match of a pattern without
   * anchors. If `false`, such a text is made only where no text matches the patterns from end to end.
   * @returns `undefined` where the search found no text.
   */
  write(
    constraints: TextConstraints,
    random: Random,
    { isFree = false }: { isFree?: boolean } = {},
  ): string | undefined {
    const group = this.#groupOf(constraints.patterns);
    if (group.isTooLarge) return undefined;
    const search = (): string | undefined => {
      if (!isFree) {
        const text = new TextSearch(group.derivatives, constraints, random, isFree).find(group.whole);
        if (text !== undefined) return text;
      }
      return new TextSearch(group.derivatives, constraints, random, isFree).find(group.free);
    };
    return withinSteps(() => this.#work.run(group.steps, 0, search), () => {
      group.isTooLarge = true;
      return undefined;
    });
  }

  /**
   * The first of the patterns whose shortest match has more characters than `maxLength`; `undefined` if there is none.
   */
  patternTooLong({ patterns, maxLength }: TextConstraints): string | undefined {
    if (maxLength === Infinity || patterns.length === 0) return undefined;
    return this.#groupOf(patterns).parsed.find((pattern) => shortestMatch(pattern) > maxLength)?.raw;
  }

  #groupOf(patterns: readonly string[]): PatternGroup {
    const key = JSON.stringify(patterns);
    let group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, group = new PatternGroup(patterns, this.#parser));
    return group;
  }
}

/** Patterns that one text has to match together. */
class PatternGroup {
  /** Whether a search has exceeded its steps. Another one would too, so none is begun. */
  isTooLarge = false;
  readonly steps: Steps = { left: 0 };
  readonly derivatives: Derivatives;
  readonly parsed: readonly AST.Pattern[];
  #whole: Expression | undefined;
  #free: Expression | undefined;

  constructor(written: readonly string[], parser: PatternParser) {
    const read = written.filter((pattern) => pattern.length <= LONGEST_PATTERN)
      .map((pattern) => parsePattern(pattern, parser)).filter((result) => result.kind === "pattern");
    // The intersection needs all patterns parsed with the same flags. If a pattern has the flag `u`, those that are
    // valid only without it, such as `^]$`, are rewritten. The reverse isn't possible.
    const unicode = read.length === 0 || read.some(({ flags }) => flags === "u");
    this.derivatives = new Derivatives(unicode ? "u" : "", "sample", this.steps);
    this.parsed = read.flatMap(({ pattern, flags }) => {
      if (!unicode || flags === "u") return [pattern];
      // Leaves out a pattern that can't be rewritten: the caller validates the text, so no invalid one is used.
      const rewritten = parsePattern(toUnicodePattern(pattern), parser);
      return rewritten.kind === "pattern" && rewritten.flags === "u" ? [rewritten.pattern] : [];
    });
  }

  /** Matches the texts that each pattern matches from end to end. */
  get whole(): Expression {
    return this.#whole ??= this.#read(true);
  }

  /** Matches the texts that the patterns match as the keyword `pattern` does: without anchors, anywhere in the text. */
  get free(): Expression {
    return this.#free ??= this.#read(false);
  }

  #read(whole: boolean): Expression {
    return this.derivatives.and(this.parsed.map((pattern) => this.derivatives.read(pattern, whole)));
  }
}

/** A prefix of a sample text, as an entry on the stack of the search. */
interface Prefix {
  readonly expression: Expression;
  readonly text: string;
  readonly length: number;
  /** The characters to try after the prefix, the preferred ones first. */
  readonly characters: readonly number[];
  /** The index of the next of `characters` to try. */
  next: number;
  /**
   * The derivatives by the characters tried so far. Another character with the same derivative is skipped, since its
   * search would have the same result.
   */
  readonly tried: Set<Expression>;
}

/**
 * Depth-first search for a text: adds random characters up to a random length, then the shortest ending. Stops after
 * {@linkcode MOST_STEPS}.
 */
class TextSearch {
  readonly #derivatives: Derivatives;
  readonly #constraints: TextConstraints;
  readonly #random: Random;
  readonly #isFree: boolean;
  /** The length from which on the search looks for the shortest ending. */
  readonly #target: number;
  readonly #stack: Prefix[] = [];
  /** Expressions for which an exhaustive search found no text. */
  readonly #deadEnds = new Set<Expression>();
  #steps = MOST_STEPS;

  constructor(derivatives: Derivatives, constraints: TextConstraints, random: Random, isFree: boolean) {
    this.#derivatives = derivatives;
    this.#constraints = constraints;
    this.#random = random;
    this.#isFree = isFree;
    const { minLength, maxLength } = constraints;
    const { least, most } = USUAL_LENGTH;
    this.#target = Math.max(minLength, Math.min(maxLength, least + Math.floor(random() * (most - least + 1))));
  }

  /** Finds a text that an expression matches; `undefined` if the search ends without one. */
  find(start: Expression): string | undefined {
    const { minLength, maxLength } = this.#constraints;
    const derivatives = this.#derivatives;
    if (derivatives.shortest(start) > maxLength) return undefined;
    const ready = this.#enter(start, "", 0);
    if (ready !== undefined) return ready;
    while (this.#steps-- > 0) {
      const prefix = this.#stack.at(-1);
      if (prefix === undefined) return undefined;
      const { expression, text, length, characters, tried } = prefix;
      const codePoint = characters[prefix.next++];
      if (codePoint === undefined) {
        if (length >= minLength && derivatives.acceptsEmpty(expression)) return text;
        this.#stack.pop();
        continue;
      }
      const next = derivatives.derive(expression, codePoint);
      if (tried.has(next) || length + 1 + derivatives.shortest(next) > maxLength) continue;
      tried.add(next);
      const found = this.#enter(next, text + String.fromCodePoint(codePoint), length + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Visits a prefix of a text; `expression` matches the endings of the text. Returns the text if the prefix needs no
   * ending, or if it is long enough and an ending is found. Pushes a prefix that is too short on the stack.
   */
  #enter(expression: Expression, text: string, length: number): string | undefined {
    const { minLength, maxLength } = this.#constraints;
    const isDone = expression.kind === "empty" || (expression.kind === "anything" && !this.#isFree);
    if (length >= minLength && isDone) return text;
    if (length >= this.#target) {
      const ending = this.#findEnding(expression, maxLength - length);
      return ending === undefined ? undefined : text + ending;
    }
    const characters = this.#shuffle(this.#derivatives.firstCharacters(expression));
    this.#stack.push({ expression, text, length, characters, next: 0, tried: new Set() });
    return undefined;
  }

  /**
   * Finds the shortest text that an expression matches by iterative deepening: searches for texts of increasing length,
   * from the lower bound on.
   */
  #findEnding(start: Expression, maxLength: number): string | undefined {
    if (this.#derivatives.acceptsEmpty(start)) return "";
    for (let length = this.#derivatives.shortest(start); length <= maxLength; length++) {
      const { text, isCut, seen } = this.#findEndingWithin(start, length);
      if (text !== undefined || this.#steps <= 0) return text;
      if (isCut) continue;
      // No branch of the search exceeded the length, so a greater length wouldn't find an ending either.
      for (const expression of seen) this.#deadEnds.add(expression);
      return undefined;
    }
    return undefined;
  }

  #findEndingWithin(start: Expression, most: number): { text?: string; isCut: boolean; seen: Iterable<Expression> } {
    const derivatives = this.#derivatives;
    /** For each expression visited, the largest number of remaining characters for which its search has failed. */
    const unending = new Map([[start, most]]);
    const stack = [{ characters: this.#shuffle(derivatives.firstCharacters(start)), expression: start, next: 0 }];
    const text: number[] = [];
    let isCut = false;
    for (let at = stack.at(-1); at !== undefined && this.#steps-- > 0; at = stack.at(-1)) {
      const codePoint = at.characters[at.next++];
      if (codePoint === undefined) {
        stack.pop();
        text.pop();
        continue;
      }
      const expression = derivatives.derive(at.expression, codePoint);
      const shortest = derivatives.shortest(expression);
      const left = most - stack.length;
      if (this.#deadEnds.has(expression) || shortest === Infinity) continue;
      if (shortest > left) {
        isCut = true;
      } else if ((unending.get(expression) ?? -1) < left) {
        text.push(codePoint);
        if (derivatives.acceptsEmpty(expression)) return { text: String.fromCodePoint(...text), isCut, seen: [] };
        unending.set(expression, left);
        stack.push({ characters: this.#shuffle(derivatives.firstCharacters(expression)), expression, next: 0 });
      }
    }
    return { isCut, seen: unending.keys() };
  }

  /**
   * Rotates a list of characters so that a random one comes first: a small letter or a digit, if the list begins with
   * any.
   */
  #shuffle(characters: readonly number[]): readonly number[] {
    const end = characters.findIndex((codePoint) => !isReadable(codePoint));
    const readable = end === -1 ? characters.length : end;
    const start = Math.floor(this.#random() * (readable === 0 ? characters.length : readable));
    return start === 0 ? characters : [...characters.slice(start), ...characters.slice(0, start)];
  }
}

function isReadable(codePoint: number): boolean {
  return (codePoint >= 0x61 && codePoint <= 0x7a) || (codePoint >= 0x30 && codePoint <= 0x39);
}
