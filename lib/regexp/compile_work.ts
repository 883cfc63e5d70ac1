import type { AST } from "@eslint-community/regexpp";

/**
 * Limits for a pattern that the JavaScript engine compiles. V8 takes about 30 ns for each path and 1 µs for each part.
 */
const MOST_PATHS = 500_000;
const MOST_PARTS = 20_000;
/**
 * The number of characters that V8 looks ahead at each choice when it compiles a pattern (`kMaxLookaheadForBoyerMoore`).
 */
const WINDOW = 8;
/** The most repetitions of an element that the paths of a window are counted through. */
const MOST_REPETITIONS = 32;

/**
 * Whether the engine compiles a pattern in little time and memory. While it compiles, V8 follows each path through the
 * pattern until the path has consumed {@linkcode WINDOW} characters. Their number is exponential for optional elements
 * (`a?a?a?…aaa`) and for classes that are alternatives themselves, as classes beyond U+FFFF are.
 */
export function compilesQuickly(pattern: AST.Pattern, flags: "u" | ""): boolean {
  const counter = new PathCounter(flags === "u");
  return counter.partsOf(pattern) <= MOST_PARTS && counter.pathsOf(pattern) <= MOST_PATHS;
}

/** Numbers of paths, by the number of characters that they consume: from none to the window's. */
type Counts = readonly number[];

interface Paths {
  /** The paths that lead through an element. */
  readonly through: Counts;
  /** The steps of the paths that begin at an element: those that lead through, and those that end in it. */
  readonly steps: Counts;
}

const ONCE: Counts = [1, ...new Array<number>(WINDOW).fill(0)];
const NONE: Counts = new Array<number>(WINDOW + 1).fill(0);

class PathCounter {
  readonly #isUnicode: boolean;
  readonly #parts = new Map<AST.Element, number>();
  /** The most paths of a window that begins in an element. */
  #most = 0;

  constructor(isUnicode: boolean) {
    this.#isUnicode = isUnicode;
  }

  pathsOf({ alternatives }: AST.Pattern): number {
    this.#ofAlternatives(alternatives);
    return this.#most;
  }

  /** The number of parts of the compiled pattern: repetitions are unrolled, and classes have many ranges. */
  partsOf(element: AST.Pattern | AST.Element): number {
    if (element.type === "Pattern") return this.#sumOf(element.alternatives);
    let parts = this.#parts.get(element);
    if (parts === undefined) this.#parts.set(element, parts = this.#findParts(element));
    return parts;
  }

  #findParts(element: AST.Element): number {
    if (element.type === "Quantifier") {
      const times = Math.max(1, element.min, element.max <= 10 ? element.max : 1);
      return 1 + times * this.partsOf(element.element);
    }
    if ("alternatives" in element) return 1 + this.#sumOf(element.alternatives);
    return rangesOf(element);
  }

  #sumOf(alternatives: readonly AST.Alternative[]): number {
    let sum = 0;
    for (const { elements } of alternatives) for (const element of elements) sum += this.partsOf(element);
    return sum + alternatives.length;
  }

  #ofAlternatives(alternatives: readonly AST.Alternative[]): Paths {
    let [through, steps] = [NONE, NONE];
    for (const { elements } of alternatives) {
      const paths = this.#ofSequence(elements);
      through = add(through, paths.through);
      steps = add(steps, paths.steps);
    }
    this.#note(steps);
    return { through, steps };
  }

  /** Counts the paths from each element of a sequence to its end, from the last element to the first. */
  #ofSequence(elements: readonly AST.Element[]): Paths {
    let [through, steps] = [ONCE, ONCE];
    for (const element of elements.toReversed()) {
      const paths = this.#of(element);
      steps = add(paths.steps, multiply(paths.through, steps));
      through = multiply(paths.through, through);
      this.#note(steps);
    }
    return { through, steps };
  }

  #of(element: AST.Element): Paths {
    switch (element.type) {
      case "Quantifier":
        return this.#ofQuantifier(element);
      case "Group":
      case "CapturingGroup":
        return this.#ofAlternatives(element.alternatives);
      case "Assertion": {
        if (!("alternatives" in element)) return { through: ONCE, steps: ONCE };
        const { steps } = this.#ofAlternatives(element.alternatives);
        return { through: ONCE, steps };
      }
      case "Backreference":
        return { through: ONCE, steps: ONCE };
      default: {
        const through = [...NONE];
        through[1] = waysOf(element, this.#isUnicode);
        return { through, steps: add(ONCE, through) };
      }
    }
  }

  #ofQuantifier({ element, min, max }: AST.Quantifier): Paths {
    const body = this.#of(element);
    const least = Math.min(min, MOST_REPETITIONS);
    const most = Math.min(max, MOST_REPETITIONS);
    // Before each repetition, a path that has the least number of them may leave.
    let [entered, through, steps] = [ONCE, NONE, ONCE];
    for (let times = 0; times < most; times++) {
      if (times >= least) through = add(through, entered);
      steps = add(steps, multiply(entered, body.steps));
      entered = multiply(entered, body.through);
      if (sum(entered) === 0 || sum(steps) > MOST_PATHS) break;
    }
    through = add(through, entered);
    this.#note(steps);
    return { through, steps };
  }

  #note(steps: Counts): void {
    this.#most = Math.max(this.#most, sum(steps));
  }
}

/** The alternatives as which the engine compiles a class: beyond U+FFFF, classes become sequences of surrogates. */
function waysOf(element: AST.Element, isUnicode: boolean): number {
  if (!isUnicode) return 1;
  if (usesProperties(element)) return 12;
  if (element.type === "CharacterSet" && element.kind !== "any") return element.negate ? 4 : 1;
  if (element.type === "CharacterSet") return 4;
  if (element.type === "CharacterClass") return element.negate ? 4 : element.elements.some(isAstral) ? 4 : 1;
  return element.type === "Character" && element.value > 0xffff ? 2 : 1;
}

/** The number of ranges of a class, roughly. */
function rangesOf(element: AST.Element): number {
  if (usesProperties(element)) return 500;
  if (element.type === "CharacterClass") return 1 + element.elements.length * (element.negate ? 20 : 5);
  return element.type === "ExpressionCharacterClass" ? 500 : 1;
}

/** Whether a class has a Unicode property such as `\p{L}`. */
function usesProperties(element: AST.Element | AST.CharacterClassElement): boolean {
  if (element.type === "CharacterSet") return element.kind === "property";
  return element.type === "CharacterClass" && element.elements.some(usesProperties);
}

function isAstral(element: AST.CharacterClassElement): boolean {
  switch (element.type) {
    case "Character":
      return element.value > 0xffff;
    case "CharacterClassRange":
      return element.max.value > 0xd7ff;
    case "CharacterSet":
      return element.kind === "property" || element.negate;
    default:
      return true;
  }
}

function sum(counts: Counts): number {
  return counts.reduce((total, count) => total + count, 0);
}

function add(left: Counts, right: Counts): Counts {
  return left.map((count, index) => count + (right[index] ?? 0));
}

/** The counts of the paths that consist of one of `left` and one of `right`, as far as the window reaches. */
function multiply(left: Counts, right: Counts): Counts {
  const product = [...NONE];
  left.forEach((count, index) => {
    if (count === 0) return;
    for (let other = 0; index + other <= WINDOW; other++) {
      product[index + other] = (product[index + other] ?? 0) + count * (right[other] ?? 0);
    }
  });
  return product;
}
