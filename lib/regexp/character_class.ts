import type { AST } from "@eslint-community/regexpp";

export interface CharacterClass {
  readonly id: number;
  readonly has: (codePoint: number) => boolean;
  /** The characters of the class that are in the alphabet of {@linkcode CharacterClasses}. */
  readonly members: () => readonly number[];
}

type CharacterTest = (codePoint: number) => boolean;

/** The search for sample characters of a class such as `\p{Lu}`, which names none, ends at this code point. */
const LAST_SEARCHED = 0x1ffff;
const ENOUGH_CHARACTERS = 8;
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
  readonly #known = new Map<string, CharacterClass>();
  readonly #alphabet = new Set<number>(READABLE);

  /** @param flags Flags of the patterns: `u` or the empty string. */
  constructor(flags: string) {
    this.#flags = flags;
  }

  /** The alphabet of sample texts: printable ASCII, white space, and characters that occur in the patterns. */
  get alphabet(): readonly number[] {
    return [...this.#alphabet];
  }

  /**
   * Adds the characters that occur in a pattern to the alphabet. Call it for each pattern before making any text:
   * otherwise a sample text would depend on which texts were made before it.
   */
  extendAlphabet(part: AST.Element | AST.Alternative): void {
    if ("alternatives" in part) part.alternatives.forEach((alternative) => this.extendAlphabet(alternative));
    else if (part.type === "Alternative") part.elements.forEach((element) => this.extendAlphabet(element));
    else if (part.type === "Quantifier") this.extendAlphabet(part.element);
    else if (isCharacter(part)) this.of(part);
  }

  of(element: AST.Element): CharacterClass {
    const known = this.#known.get(element.raw);
    if (known !== undefined) return known;
    const test = testOf(element);
    const characters = test === undefined ? this.#readByEngine(element.raw) : this.#add(element.raw, test);
    this.#addToAlphabet(element, characters.has);
    return characters;
  }

  get wordCharacters(): CharacterClass {
    return this.#known.get("\\w") ?? this.#readByEngine("\\w");
  }

  #add(written: string, has: CharacterTest): CharacterClass {
    let members: readonly number[] | undefined;
    const characters: CharacterClass = {
      id: this.#known.size,
      has,
      members: () => members ??= this.alphabet.filter(has),
    };
    this.#known.set(written, characters);
    return characters;
  }

  /**
   * Makes a class such as `\p{Lu}`, whose characters only the JavaScript engine has. Each result is memoised, since a
   * call of `RegExp.test` for each character is slow.
   */
  #readByEngine(written: string): CharacterClass {
    const expression = new RegExp(`^(?:${written})$`, this.#flags);
    const answers = new Map<number, boolean>();
    return this.#add(written, (codePoint) => {
      let answer = answers.get(codePoint);
      if (answer === undefined) answers.set(codePoint, answer = expression.test(String.fromCodePoint(codePoint)));
      return answer;
    });
  }

  /**
   * Adds the characters written in a class such as `[a-f]` to the alphabet. For a class that names none and has no
   * printable ASCII, such as `\p{Script=Greek}`, adds its first {@linkcode ENOUGH_CHARACTERS} code points.
   */
  #addToAlphabet(element: AST.Element, has: CharacterTest): void {
    const written = element.type === "CharacterClass" ? element.elements : [element];
    const bounds = written.flatMap((part) => {
      if (part.type === "Character") return [part.value];
      return part.type === "CharacterClassRange" ? [part.min.value, part.max.value] : [];
    }).filter(has);
    bounds.forEach((codePoint) => this.#alphabet.add(codePoint));
    if (bounds.length > 0 || PRINTABLE.some(has)) return;
    let found = 0;
    for (let codePoint = 0; found < ENOUGH_CHARACTERS && codePoint <= LAST_SEARCHED; codePoint++) {
      const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
      if (isSurrogate || !has(codePoint)) continue;
      this.#alphabet.add(codePoint);
      found++;
    }
  }
}

/**
 * Makes a test for the characters of a class; `undefined` for classes such as `\w` and `\p{Lu}`, which only the
 * JavaScript engine can test.
 */
function testOf(element: AST.Element | AST.CharacterClassElement): CharacterTest | undefined {
  switch (element.type) {
    case "Character":
      return (codePoint) => codePoint === element.value;
    case "CharacterClassRange":
      return (codePoint) => codePoint >= element.min.value && codePoint <= element.max.value;
    case "CharacterSet":
      return element.kind === "digit" ? (codePoint) => isDigit(codePoint) !== element.negate : undefined;
    case "CharacterClass": {
      const tests: CharacterTest[] = [];
      for (const part of element.elements) {
        const test = testOf(part);
        if (test === undefined) return undefined;
        tests.push(test);
      }
      return (codePoint) => tests.some((test) => test(codePoint)) !== element.negate;
    }
    default:
      return undefined;
  }
}
