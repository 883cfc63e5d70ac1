import type { AST } from "@eslint-community/regexpp";
import { spend, type Steps } from "./steps.ts";

export interface CharacterClass {
  readonly id: number;
  /** The steps that a test of a character takes. */
  readonly work: number;
  readonly has: CharacterTest;
  /** The characters of the class that are in the alphabet of {@linkcode CharacterClasses}. */
  readonly members: () => readonly number[];
}

type CharacterTest = (codePoint: number) => boolean;

/** The search for sample characters of a class such as `\p{Lu}`, which names none, ends at this code point. */
const LAST_SEARCHED = 0x1ffff;
const ENOUGH_CHARACTERS = 8;
/** The number of tests of characters that take about as long as one step. */
const CHEAP_TESTS = 8;
/** Size at which the cache of the characters that the JavaScript engine has tested is cleared. */
const MOST_MEMOISED = 10_000;
/** The printable characters of ASCII. */
export const PRINTABLE: readonly number[] = Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index);

const CHARACTER_TYPES: ReadonlySet<AST.Element["type"]> = new Set(["Character", "CharacterSet", "CharacterClass"]);

const isDigit = isIn("0", "9");
const LOWER = PRINTABLE.filter(isIn("a", "z"));
const DIGITS = PRINTABLE.filter(isDigit);
const UPPER = PRINTABLE.filter(isIn("A", "Z"));
const OTHERS = PRINTABLE.filter((codePoint) => ![...LOWER, ...DIGITS, ...UPPER].includes(codePoint));
/** The characters of sample texts, in order of preference: letters and digits, punctuation, then white space. */
const READABLE: readonly number[] = [...LOWER, ...DIGITS, ...UPPER, ...OTHERS, 0x0a, 0x09, 0x0d, 0xa0];

function isIn(first: string, last: string): CharacterTest {
  const [least, most] = [first.charCodeAt(0), last.charCodeAt(0)];
  return (codePoint) => codePoint >= least && codePoint <= most;
}

export function isCharacter(element: AST.Element): boolean {
  return CHARACTER_TYPES.has(element.type);
}

/**
 * The character classes of one pattern, or of several with equal flags. Classes of the same spelling are one object.
 */
export class CharacterClasses {
  readonly #flags: string;
  readonly #steps: Steps;
  readonly #known = new Map<string, CharacterClass>();
  /** The tests of sets such as `\w` and `\p{Lu}`. */
  readonly #sets = new Map<string, CharacterTest>();
  readonly #alphabet = new Set<number>(READABLE);
  #letters: readonly number[] | undefined;

  /**
   * @param flags Flags of the patterns: `u` or the empty string.
   * @param steps The steps left for searching the characters of classes.
   */
  constructor(flags: string, steps: Steps) {
    this.#flags = flags;
    this.#steps = steps;
  }

  /** The alphabet of sample texts: printable ASCII, white space, and characters that occur in the patterns. */
  get alphabet(): readonly number[] {
    return this.#letters ??= [...this.#alphabet];
  }

  /**
   * Adds the characters that occur in a pattern to the alphabet. Call it for each pattern before making any text:
   * otherwise a sample text would depend on which texts were made before it.
   */
  extendAlphabet(part: AST.Element | AST.Alternative): void {
    if ("alternatives" in part) part.alternatives.forEach((alternative) => this.extendAlphabet(alternative));
    else if (part.type === "Alternative") part.elements.forEach((element) => this.extendAlphabet(element));
    else if (part.type === "Quantifier") this.extendAlphabet(part.element);
    else if (isCharacter(part) && !this.#known.has(part.raw)) this.#addToAlphabet(part, this.of(part).has);
  }

  of(element: AST.Element): CharacterClass {
    return this.#known.get(element.raw) ?? this.#make(element.raw, this.#testsOf(element));
  }

  get wordCharacters(): CharacterClass {
    return this.#known.get("\\w") ?? this.#make("\\w", [this.#setOf("\\w")]);
  }

  #make(written: string, tests: readonly CharacterTest[]): CharacterClass {
    const has: CharacterTest = (codePoint) => tests.some((test) => test(codePoint));
    let members: readonly number[] | undefined;
    const characters: CharacterClass = {
      id: this.#known.size,
      work: tests.length,
      has,
      members: () => {
        if (members !== undefined) return members;
        spend(this.#steps, Math.ceil(this.alphabet.length * tests.length / CHEAP_TESTS));
        return members = this.alphabet.filter(has);
      },
    };
    this.#known.set(written, characters);
    return characters;
  }

  /** Makes tests for the characters of a class, one of which its characters pass. */
  #testsOf(element: AST.Element | AST.CharacterClassElement): readonly CharacterTest[] {
    switch (element.type) {
      case "Character":
        return [(codePoint) => codePoint === element.value];
      case "CharacterClassRange":
        return [(codePoint) => codePoint >= element.min.value && codePoint <= element.max.value];
      case "CharacterSet":
        if (element.kind !== "digit") return [this.#setOf(element.raw)];
        return [(codePoint) => isDigit(codePoint) !== element.negate];
      case "CharacterClass": {
        const distinct = new Map(element.elements.map((part) => [part.raw, part]));
        const tests = [...distinct.values()].flatMap((part) => this.#testsOf(part));
        return element.negate ? [(codePoint) => !tests.some((test) => test(codePoint))] : tests;
      }
      default:
        return [];
    }
  }

  /**
   * Makes the test of a set such as `\p{Lu}`, whose characters only the JavaScript engine has. Each result is memoised,
   * since a call of `RegExp.test` for each character is slow.
   */
  #setOf(written: string): CharacterTest {
    const known = this.#sets.get(written);
    if (known !== undefined) return known;
    const expression = new RegExp(`^${written}$`, this.#flags);
    const answers = new Map<number, boolean>();
    const test: CharacterTest = (codePoint) => {
      let answer = answers.get(codePoint);
      if (answer === undefined) {
        answer = expression.test(String.fromCodePoint(codePoint));
        if (answers.size >= MOST_MEMOISED) answers.clear();
        answers.set(codePoint, answer);
      }
      return answer;
    };
    this.#sets.set(written, test);
    return test;
  }

  /**
   * Adds the characters written in a class such as `[a-f]` to the alphabet. For a class that names none and has no
   * printable ASCII, such as `\p{Script=Greek}`, adds its first {@linkcode ENOUGH_CHARACTERS} code points.
   */
  #addToAlphabet(element: AST.Element, has: CharacterTest): void {
    this.#letters = undefined;
    const written = element.type === "CharacterClass" ? element.elements : [element];
    const bounds = written.flatMap((part) => {
      if (part.type === "Character") return [part.value];
      return part.type === "CharacterClassRange" ? [part.min.value, part.max.value] : [];
    }).filter(has);
    bounds.forEach((codePoint) => this.#alphabet.add(codePoint));
    if (bounds.length > 0 || PRINTABLE.some(has)) return;
    let found = 0;
    for (let codePoint = 0; found < ENOUGH_CHARACTERS && codePoint <= LAST_SEARCHED; codePoint++) {
      if (codePoint % CHEAP_TESTS === 0) spend(this.#steps, CHEAP_TESTS);
      const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
      if (isSurrogate || !has(codePoint)) continue;
      this.#alphabet.add(codePoint);
      found++;
    }
  }
}
