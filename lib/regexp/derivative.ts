import type { AST } from "@eslint-community/regexpp";

/**
 * A set of texts, such as those that a regular expression matches. It is asked one character at a time: what may follow
 * a character is a language again (its derivative), and a text is in the language when what is left after its last
 * character admits the end. So languages can be intersected and complemented, which look-ahead, several patterns for
 * one text and bounds on its length come down to.
 *
 * Look-behind, back-references and some word boundaries are taken for fulfilled: the language is then too large.
 *
 * @see {@link https://doi.org/10.1145/321239.321249 J. A. Brzozowski, Derivatives of Regular Expressions}
 */
export type Language =
  & { readonly id: number }
  & (
    | { readonly kind: "nothing" | "end" | "everything" }
    | { readonly kind: "step"; readonly characters: Characters; readonly next: Language }
    | { readonly kind: "either" | "both"; readonly parts: readonly Language[] }
    | { readonly kind: "not" | "later"; readonly part: Language }
    | { readonly kind: "repeat"; readonly times: Times; readonly element: AST.Element; readonly next: Language }
  );

interface Times {
  readonly least: number;
  readonly most: number;
}

/** A set of characters. */
interface Characters {
  readonly id: number;
  readonly has: (codePoint: number) => boolean;
  /** Those of its characters that texts are made of. */
  readonly members: () => readonly number[];
}

/** Languages of one text: equal ones are one object. */
export interface Languages {
  /** The texts that a pattern matches; `whole` ones as far as the pattern says what they are, from end to end. */
  readonly matching: (pattern: AST.Pattern, whole: boolean) => Language;
  readonly both: (...parts: Language[]) => Language;
  readonly admitsEnd: (language: Language) => boolean;
  readonly after: (language: Language, codePoint: number) => Language;
  /** A length that no text of a language falls short of; `Infinity` where there is none. */
  readonly shortest: (language: Language) => number;
  /**
   * Characters that a text of the language may begin with, if any may: letters and digits before what is less readable.
   * They are taken from ASCII and from what the patterns name.
   */
  readonly beginnings: (language: Language) => readonly number[];
  /** How many different languages there are so far. */
  readonly size: () => number;
}

/** Code points that there are. */
const CODE_POINTS = 0x110000;
/** The code points that are searched for one that is in a class, once the class's own bounds are not. */
const SEARCHED = 0x1ffff;
const ENOUGH_CHARACTERS = 8;
/** The printable characters of ASCII. */
const PRINTABLE: readonly number[] = Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index);

const CHARACTERS: ReadonlySet<AST.Element["type"]> = new Set(["Character", "CharacterSet", "CharacterClass"]);

function isIn(first: string, last: string): (codePoint: number) => boolean {
  const [least, most] = [first.charCodeAt(0), last.charCodeAt(0)];
  return (codePoint) => codePoint >= least && codePoint <= most;
}

const isDigit = isIn("0", "9");
const LOWER = PRINTABLE.filter(isIn("a", "z"));
const DIGITS = PRINTABLE.filter(isDigit);
const UPPER = PRINTABLE.filter(isIn("A", "Z"));
const OTHERS = PRINTABLE.filter((codePoint) => ![...LOWER, ...DIGITS, ...UPPER].includes(codePoint));
/** Characters of ASCII, the most readable first, and the no-break space. */
const READABLE: readonly number[] = [...LOWER, ...DIGITS, ...UPPER, ...OTHERS, 0x0a, 0x09, 0x0d, 0xa0];

/** Makes the languages of patterns that are written with or without Unicode semantics. */
export function createLanguages(flags: string): Languages {
  const known = new Map<string, Language>();
  const ends = createAnswers(false);
  let derivatives: Answers<Language> | undefined;
  const lengths = new Map<Language, number>();
  const classes = new Map<string, Characters>();
  const named = new Set<number>(READABLE);
  const beginningsOf = createAnswers<readonly number[]>([]);
  const elementIds = new Map<AST.Element, number>();

  const nothing = intern("nothing", (id) => ({ id, kind: "nothing" }));
  const end = intern("end", (id) => ({ id, kind: "end" }));
  const everything = intern("everything", (id) => ({ id, kind: "everything" }));

  return {
    matching,
    both: (...parts) => combine("both", parts),
    admitsEnd,
    after,
    shortest,
    beginnings,
    size: () => known.size,
  };

  function intern(key: string, make: (id: number) => Language): Language {
    let language = known.get(key);
    if (language === undefined) known.set(key, language = make(known.size));
    return language;
  }

  function step(characters: Characters, next: Language): Language {
    if (next === nothing) return nothing;
    return intern(`step ${characters.id} ${next.id}`, (id) => ({ id, kind: "step", characters, next }));
  }

  function not(part: Language): Language {
    if (part === nothing) return everything;
    if (part === everything) return nothing;
    if (part.kind === "not") return part.part;
    return intern(`not ${part.id}`, (id) => ({ id, kind: "not", part }));
  }

  /** Names the characters of all classes before any text is made, so that texts don't depend on those made before. */
  function readCharacters(element: AST.Element | AST.Alternative): void {
    if ("alternatives" in element) element.alternatives.forEach(readCharacters);
    else if (element.type === "Alternative") element.elements.forEach(readCharacters);
    else if (element.type === "Quantifier") readCharacters(element.element);
    else if (CHARACTERS.has(element.type)) charactersOf(element);
  }

  /** Any characters, and then a text of the language. */
  function later(part: Language): Language {
    if (part === nothing || part === everything) return part;
    return intern(`later ${part.id}`, (id) => ({ id, kind: "later", part }));
  }

  function combine(kind: "either" | "both", given: readonly Language[]): Language {
    const [neutral, absorbing] = kind === "either" ? [nothing, everything] : [everything, nothing];
    const parts = new Set<Language>();
    for (const part of given) {
      if (part === absorbing) return absorbing;
      if (part.kind === kind) part.parts.forEach((inner) => parts.add(inner));
      else if (part !== neutral) parts.add(part);
    }
    const [first, ...others] = [...parts].sort((left, right) => left.id - right.id);
    if (first === undefined) return neutral;
    if (others.length === 0) return first;
    const sorted = [first, ...others];
    return intern(`${kind} ${sorted.map(({ id }) => id).join(" ")}`, (id) => ({ id, kind, parts: sorted }));
  }

  function repeat(element: AST.Element, least: number, most: number, next: Language): Language {
    if (most <= 0) return next;
    let elementId = elementIds.get(element);
    if (elementId === undefined) elementIds.set(element, elementId = elementIds.size);
    const times = { least, most };
    const key = `repeat ${elementId} ${least} ${most} ${next.id}`;
    return intern(key, (id) => ({ id, kind: "repeat", times, element, next }));
  }

  /** What a repetition is: its end, or its element once and then the rest of it. */
  function unfold(language: Language & { kind: "repeat" }): Language {
    const { element, times: { least, most }, next } = language;
    const rest = repeat(element, Math.max(0, least - 1), most - 1, next);
    const once = readElement(element, rest, false);
    return least > 0 ? once : combine("either", [next, once]);
  }

  function admitsEnd(language: Language): boolean {
    return ends.ask(language.id, () => findEnd(language));
  }

  function findEnd(language: Language): boolean {
    switch (language.kind) {
      case "nothing":
      case "step":
        return false;
      case "end":
      case "everything":
        return true;
      case "either":
        return language.parts.some(admitsEnd);
      case "both":
        return language.parts.every(admitsEnd);
      case "not":
        return !admitsEnd(language.part);
      case "later":
        return admitsEnd(language.part);
      case "repeat":
        return admitsEnd(unfold(language));
    }
  }

  function beginnings(language: Language): readonly number[] {
    return beginningsOf.ask(language.id, () => findBeginnings(language));
  }

  function findBeginnings(language: Language): readonly number[] {
    switch (language.kind) {
      case "nothing":
      case "end":
        return [];
      case "everything":
      case "not":
      case "later":
        return [...named];
      case "step":
        return language.characters.members();
      case "either": {
        const parts = new Set(language.parts.flatMap(beginnings));
        return [...named].filter((codePoint) => parts.has(codePoint));
      }
      case "both": {
        const [first = [], ...others] = language.parts.map(beginnings).sort((left, right) =>
          left.length - right.length
        );
        return first.filter((codePoint) => others.every((part) => part.includes(codePoint)));
      }
      case "repeat":
        return beginnings(unfold(language));
    }
  }

  function shortest(language: Language): number {
    const known = lengths.get(language);
    if (known !== undefined) return known;
    const length = findShortest(language);
    lengths.set(language, length);
    return length;
  }

  function findShortest(language: Language): number {
    switch (language.kind) {
      case "nothing":
        return Infinity;
      case "end":
      case "everything":
      case "not":
        return 0;
      case "step":
        return 1 + shortest(language.next);
      case "either":
        return Math.min(...language.parts.map(shortest));
      case "both":
        return Math.max(...language.parts.map(shortest));
      case "later":
        return shortest(language.part);
      case "repeat":
        return language.times.least * shortestMatch(language.element) + shortest(language.next);
    }
  }

  function after(language: Language, codePoint: number): Language {
    derivatives ??= createAnswers(nothing);
    return derivatives.ask(language.id * CODE_POINTS + codePoint, () => derivative(language, codePoint));
  }

  function derivative(language: Language, codePoint: number): Language {
    switch (language.kind) {
      case "nothing":
      case "end":
        return nothing;
      case "everything":
        return everything;
      case "step":
        return language.characters.has(codePoint) ? language.next : nothing;
      case "either":
      case "both":
        return combine(language.kind, language.parts.map((part) => after(part, codePoint)));
      case "not":
        return not(after(language.part, codePoint));
      case "later":
        return combine("either", [language, after(language.part, codePoint)]);
      case "repeat":
        return after(unfold(language), codePoint);
    }
  }

  function matching(pattern: AST.Pattern, whole: boolean): Language {
    pattern.alternatives.forEach(readCharacters);
    if (whole) return readAlternatives(pattern.alternatives, end, true);
    const atStart = readAlternatives(pattern.alternatives, everything, true);
    return combine("either", [atStart, later(readAlternatives(pattern.alternatives, everything, false))]);
  }

  function readAlternatives(alternatives: readonly AST.Alternative[], next: Language, atStart: boolean): Language {
    return combine("either", alternatives.map((alternative) => readAlternative(alternative, next, atStart)));
  }

  function readAlternative({ elements }: AST.Alternative, next: Language, atStart: boolean): Language {
    return readFrom(0, atStart);

    function readFrom(index: number, atStart: boolean): Language {
      const element = elements[index];
      if (element === undefined) return next;
      if (element.type === "Assertion" && element.kind === "word") {
        return combine("both", [readWordBoundary(element, elements[index - 1]), readFrom(index + 1, atStart)]);
      }
      if (element.type === "Assertion") return readElement(element, readFrom(index + 1, atStart), atStart);
      const rest = readFrom(index + 1, false);
      const present = readElement(element, rest, atStart);
      // What may be absent leaves the start where it was.
      const mayBeAbsent = atStart && element.type === "Quantifier" && element.min === 0;
      return mayBeAbsent ? combine("either", [present, readFrom(index + 1, true)]) : present;
    }
  }

  function readElement(element: AST.Element, next: Language, atStart: boolean): Language {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return step(charactersOf(element), next);
      case "Group":
      case "CapturingGroup":
        return readAlternatives(element.alternatives, next, atStart);
      case "Quantifier":
        return repeat(element.element, element.min, element.max, next);
      case "Backreference":
        return next;
      case "Assertion":
        return readAssertion(element, next, atStart);
    }
  }

  function readAssertion(assertion: AST.Assertion, next: Language, atStart: boolean): Language {
    switch (assertion.kind) {
      case "start":
        return atStart ? next : nothing;
      case "end":
        return combine("both", [end, next]);
      case "lookahead": {
        const ahead = readAlternatives(assertion.alternatives, everything, atStart);
        return combine("both", [assertion.negate ? not(ahead) : ahead, next]);
      }
      case "lookbehind":
        // What has to stand before is written as a part of the text.
        return assertion.negate ? next : readAlternatives(assertion.alternatives, next, atStart);
      case "word":
        return next;
    }
  }

  /** What may follow a word boundary: it depends on whether the element before it ends with a letter. */
  function readWordBoundary(boundary: AST.WordBoundaryAssertion, before: AST.Element | undefined): Language {
    const last = before?.type === "Quantifier" ? before.element : before;
    const letter = charactersLike("\\w");
    const beforeLetter = step(letter, everything);
    const beforeOther = not(beforeLetter);
    if (last === undefined) return boundary.negate ? beforeOther : beforeLetter;
    if (!CHARACTERS.has(last.type)) return everything;
    const allowed = PRINTABLE.filter(charactersOf(last).has);
    const isLetter = allowed.length > 0 && allowed.every(letter.has);
    return isLetter === boundary.negate ? beforeLetter : beforeOther;
  }

  function charactersOf(element: AST.Element): Characters {
    const isNew = !classes.has(element.raw);
    const characters = charactersLike(element.raw, element);
    if (isNew) nameCharacters(element, characters.has);
    return characters;
  }

  function charactersLike(written: string, element?: AST.Element): Characters {
    const known = classes.get(written);
    if (known !== undefined) return known;
    const tells = element === undefined ? undefined : readTest(element);
    const characters = tells === undefined ? askedCharacters(written) : createCharacters(tells);
    classes.set(written, characters);
    return characters;
  }

  function createCharacters(has: (codePoint: number) => boolean): Characters {
    let members: readonly number[] | undefined;
    return { id: classes.size, has, members: () => members ??= [...named].filter(has) };
  }

  /** The characters of a class that an engine has to be asked about, each once. */
  function askedCharacters(written: string): Characters {
    const expression = new RegExp(`^(?:${written})$`, flags);
    const answers = new Map<number, boolean>();
    const has = (codePoint: number): boolean => {
      let answer = answers.get(codePoint);
      if (answer === undefined) answers.set(codePoint, answer = expression.test(String.fromCodePoint(codePoint)));
      return answer;
    };
    return createCharacters(has);
  }

  /** Remembers some characters of a class: those that it names, or else the first that are in it. */
  function nameCharacters(element: AST.Element, has: (codePoint: number) => boolean): void {
    const written = element.type === "CharacterClass" ? element.elements : [element];
    const bounds = written.flatMap((part) => {
      if (part.type === "Character") return [part.value];
      return part.type === "CharacterClassRange" ? [part.min.value, part.max.value] : [];
    }).filter(has);
    bounds.forEach((codePoint) => named.add(codePoint));
    if (bounds.length > 0 || PRINTABLE.some(has)) return;
    let found = 0;
    for (let codePoint = 0; found < ENOUGH_CHARACTERS && codePoint <= SEARCHED; codePoint++) {
      const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
      if (isSurrogate || !has(codePoint)) continue;
      named.add(codePoint);
      found++;
    }
  }
}

/** Tells which characters a class has, where comparing them is enough. */
function readTest(element: AST.Element | AST.CharacterClassElement): ((codePoint: number) => boolean) | undefined {
  switch (element.type) {
    case "Character":
      return (codePoint) => codePoint === element.value;
    case "CharacterClassRange":
      return (codePoint) => codePoint >= element.min.value && codePoint <= element.max.value;
    case "CharacterSet":
      return element.kind === "digit" ? (codePoint) => isDigit(codePoint) !== element.negate : undefined;
    case "CharacterClass": {
      const tests: ((codePoint: number) => boolean)[] = [];
      for (const part of element.elements) {
        const test = readTest(part);
        if (test === undefined) return undefined;
        tests.push(test);
      }
      return (codePoint) => tests.some((test) => test(codePoint)) !== element.negate;
    }
    default:
      return undefined;
  }
}

/** A length that no match of an element falls short of. */
export function shortestMatch(element: AST.Element | AST.Pattern): number {
  switch (element.type) {
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return Math.min(
        ...element.alternatives.map(({ elements }) => elements.reduce((sum, part) => sum + shortestMatch(part), 0)),
      );
    case "Quantifier":
      return element.min * shortestMatch(element.element);
    case "Assertion":
    case "Backreference":
      return 0;
    default:
      return 1;
  }
}

/** Answers that are kept: a long text of ever other characters asks many questions. */
const MOST_KNOWN = 100_000;

/** Answers to one question about languages, each found once. */
interface Answers<Answer> {
  readonly ask: (question: number, find: () => Answer) => Answer;
}

/**
 * Makes the answers to a question that comes back to itself where something that may be empty is repeated: `(a?)*`.
 *
 * @param least What is answered while the answer is being looked for, so that the least one is found.
 */
function createAnswers<Answer>(least: Answer): Answers<Answer> {
  const known = new Map<number, Answer>();
  const open = new Map<number, number>();
  let outermost = Infinity;
  return {
    ask: (question, find) => {
      const answer = known.get(question);
      if (answer !== undefined) return answer;
      const asked = open.get(question);
      if (asked !== undefined) {
        outermost = Math.min(outermost, asked);
        return least;
      }
      const depth = open.size;
      const before = outermost;
      outermost = Infinity;
      open.set(question, depth);
      const found = find();
      open.delete(question);
      // An answer that rests on one still being looked for is good for that one only.
      const isFinal = outermost >= depth;
      if (known.size > MOST_KNOWN) known.clear();
      if (isFinal) known.set(question, found);
      outermost = Math.min(before, isFinal ? Infinity : outermost);
      return found;
    },
  };
}
