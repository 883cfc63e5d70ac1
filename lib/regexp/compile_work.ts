import type { AST } from "@eslint-community/regexpp";

/**
 * Limits for a pattern that the JavaScript engine compiles. V8 takes up to 7 ns for each path and 1 µs for each part.
 */
const MOST_PATHS = 5_000_000;
const MOST_PARTS = 20_000;
/** The parts as which a class counts that has a Unicode property, or whose case is ignored. */
const PARTS_OF_LARGE_CLASS = 500;
/** The parts as which a capturing group counts: the engine clears the text of each before each attempt. */
const PARTS_OF_GROUP = 5;
/**
 * The number of characters that V8 looks ahead at each choice when it compiles a pattern (`kMaxLookaheadForBoyerMoore`).
 */
const WINDOW = 8;
/** The most repetitions of an element that the paths of a window are counted through. */
const MOST_REPETITIONS = 32;

/**
 * The number of paths that the engine follows when it compiles a pattern; `Infinity` if the pattern is too large, or has
 * too many paths. While it compiles, V8 follows each path from each element until the path has consumed
 * {@linkcode WINDOW} characters. Their number grows fast for optional elements (`a?a?a?…aaa`), and is exponential where
 * paths consume no characters (`(?:|)(?:|)…`).
 */
export function pathsToCompile(pattern: AST.Pattern): number {
  const counter = new PathCounter(ignoresCase(pattern));
  if (counter.partsOf(pattern) > MOST_PARTS) return Infinity;
  const paths = counter.pathsOf(pattern);
  return paths <= MOST_PATHS ? paths : Infinity;
}

/** Whether a part of a pattern has the modifier `i`, as `(?i:a)` has. */
function ignoresCase(element: AST.Pattern | AST.Element): boolean {
  if (element.type === "Quantifier") return ignoresCase(element.element);
  if (element.type === "Group" && element.modifiers?.add?.ignoreCase) return true;
  return "alternatives" in element && element.alternatives.some(({ elements }) => elements.some(ignoresCase));
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
const ONE_CHARACTER: Counts = [0, 1, ...new Array<number>(WINDOW - 1).fill(0)];
const NONE: Counts = new Array<number>(WINDOW + 1).fill(0);
const EMPTY: Paths = { through: ONCE, steps: ONCE };
const CHARACTER: Paths = { through: ONE_CHARACTER, steps: add(ONCE, ONE_CHARACTER) };

class PathCounter {
  readonly #ignoresCase: boolean;
  readonly #parts = new Map<AST.Element, number>();
  readonly #known = new Map<AST.Element, Paths>();
  /** The paths that are counted so far. */
  #paths = 0;

  constructor(ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase;
  }

  /** The number of the paths that begin at all elements of a pattern. */
  pathsOf({ alternatives }: AST.Pattern): number {
    this.#walk(alternatives, ONCE);
    return this.#paths;
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
    if ("alternatives" in element) {
      return (element.type === "CapturingGroup" ? PARTS_OF_GROUP : 1) + this.#sumOf(element.alternatives);
    }
    return this.#ignoresCase && element.type !== "Character" ? PARTS_OF_LARGE_CLASS : rangesOf(element);
  }

  #sumOf(alternatives: readonly AST.Alternative[]): number {
    let sum = 0;
    for (const { elements } of alternatives) for (const element of elements) sum += this.partsOf(element);
    return sum + alternatives.length;
  }

  /** Counts the paths that begin at each element of alternatives; `after` are those that begin behind them. */
  #walk(alternatives: readonly AST.Alternative[], after: Counts): void {
    for (const { elements } of alternatives) {
      let next = after;
      for (const element of elements.toReversed()) {
        if (this.#paths > MOST_PATHS) return;
        if (element.type === "Quantifier") this.#walkInto(element.element, this.#repeat(element, next));
        else this.#walkInto(element, next);
        next = follow(this.#of(element), next);
        this.#paths += sum(next);
      }
    }
  }

  #walkInto(element: AST.Element, after: Counts): void {
    if (element.type === "Quantifier") this.#walkInto(element.element, this.#repeat(element, after));
    else if ("alternatives" in element) this.#walk(element.alternatives, after);
  }

  #of(element: AST.Element): Paths {
    let paths = this.#known.get(element);
    if (paths === undefined) this.#known.set(element, paths = this.#find(element));
    return paths;
  }

  #find(element: AST.Element): Paths {
    switch (element.type) {
      case "Quantifier": {
        const least = Math.min(element.min, MOST_REPETITIONS);
        const most = Math.min(element.max, MOST_REPETITIONS);
        return repeatPaths(this.#of(element.element), least, most);
      }
      case "Group":
      case "CapturingGroup":
        return this.#ofAlternatives(element.alternatives);
      case "Assertion": {
        if (!("alternatives" in element)) return EMPTY;
        const { through, steps } = this.#ofAlternatives(element.alternatives);
        return { through: add(ONCE, through), steps };
      }
      case "Backreference":
        return EMPTY;
      default:
        return CHARACTER;
    }
  }

  #ofAlternatives(alternatives: readonly AST.Alternative[]): Paths {
    let [through, steps] = [NONE, NONE];
    for (const { elements } of alternatives) {
      let paths = EMPTY;
      for (const element of elements.toReversed()) {
        const first = this.#of(element);
        paths = { through: multiply(first.through, paths.through), steps: follow(first, paths.steps) };
      }
      through = add(through, paths.through);
      steps = add(steps, paths.steps);
    }
    return { through, steps };
  }

  /** The paths that begin behind a repeated element, in any repetition. */
  #repeat({ element, max }: AST.Quantifier, after: Counts): Counts {
    return follow(repeatPaths(this.#of(element), 0, Math.min(max - 1, MOST_REPETITIONS)), after);
  }
}

/** The paths through an element that is repeated. Behind the least number of repetitions, a path may leave. */
function repeatPaths(body: Paths, least: number, most: number): Paths {
  let [entered, through, steps] = [ONCE, NONE, ONCE];
  for (let times = 0; times < most; times++) {
    if (times >= least) through = add(through, entered);
    steps = add(steps, multiply(entered, body.steps));
    entered = multiply(entered, body.through);
    if (sum(entered) === 0 || sum(steps) > MOST_PATHS) break;
  }
  return { through: add(through, entered), steps };
}

/** The paths that lead into an element, and through it to the paths behind it. */
function follow({ through, steps }: Paths, after: Counts): Counts {
  return add(steps, multiply(through, after));
}

/** The number of ranges of a class, roughly. */
function rangesOf(element: AST.Element | AST.CharacterClassElement): number {
  switch (element.type) {
    case "CharacterClass": {
      const ranges = element.elements.reduce((sum, part) => sum + rangesOf(part), 0);
      return 1 + ranges * (element.negate ? 20 : 5);
    }
    case "CharacterSet":
      return element.kind === "property" ? PARTS_OF_LARGE_CLASS : 1;
    case "ExpressionCharacterClass":
      return PARTS_OF_LARGE_CLASS;
    default:
      return 1;
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
