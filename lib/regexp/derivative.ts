import type { AST } from "@eslint-community/regexpp";
import type { Expression } from "./expression.ts";
import { ExpressionReader, type LookBehind } from "./expression_reader.ts";

/** The number of code points in Unicode. */
const CODE_POINTS = 0x110000;

/**
 * The expressions of some patterns, and their derivatives. The derivative of an expression by a character is the
 * expression of the texts that may follow that character. A text matches if the derivative by all of its characters
 * accepts the empty text. Unlike backtracking this takes a step for each character, and it works for intersections and
 * complements, which look-ahead and several patterns for one text come down to.
 *
 * @see {@link https://doi.org/10.1145/321239.321249 J. A. Brzozowski, Derivatives of Regular Expressions}
 */
export class Derivatives {
  readonly #reader: ExpressionReader;
  readonly #acceptsEmpty = new LeastFixedPoint(false);
  readonly #firstCharacters = new LeastFixedPoint<readonly number[]>([]);
  readonly #derivatives: LeastFixedPoint<Expression>;
  readonly #shortest = new Map<Expression, number>();

  /** @param flags Flags of the patterns: `u` or none. */
  constructor(flags: string, lookBehind: LookBehind) {
    this.#reader = new ExpressionReader(flags, lookBehind);
    this.#derivatives = new LeastFixedPoint(this.#reader.expressions.nothing);
  }

  /** The number of different expressions made so far. */
  get size(): number {
    return this.#reader.expressions.size;
  }

  /**
   * Reads a pattern.
   *
   * @param whole Whether the pattern has to match the whole text, as if it had the anchors `^` and `$`.
   */
  read(pattern: AST.Pattern, whole: boolean): Expression {
    return this.#reader.read(pattern, whole);
  }

  /** The intersection of expressions. */
  and(expressions: readonly Expression[]): Expression {
    return this.#reader.expressions.and(expressions);
  }

  /** The derivative of an expression by a character. */
  derive(expression: Expression, codePoint: number): Expression {
    const key = expression.id * CODE_POINTS + codePoint;
    return this.#derivatives.get(key, () => this.#findDerivative(expression, codePoint));
  }

  #findDerivative(expression: Expression, codePoint: number): Expression {
    const { expressions } = this.#reader;
    switch (expression.kind) {
      case "nothing":
      case "empty":
        return expressions.nothing;
      case "anything":
        return expression;
      case "character":
        return expression.characters.has(codePoint) ? expression.next : expressions.nothing;
      case "or":
      case "and":
        return expressions[expression.kind](expression.parts.map((part) => this.derive(part, codePoint)));
      case "not":
        return expressions.negate(this.derive(expression.part, codePoint));
      case "anywhere":
        return expressions.or([expression, this.derive(expression.part, codePoint)]);
      case "repeat":
        return this.derive(this.#reader.unfold(expression), codePoint);
    }
  }

  /** Whether an expression matches the empty text, which the literature calls nullable. */
  acceptsEmpty(expression: Expression): boolean {
    return this.#acceptsEmpty.get(expression.id, () => this.#findAcceptsEmpty(expression));
  }

  #findAcceptsEmpty(expression: Expression): boolean {
    switch (expression.kind) {
      case "nothing":
      case "character":
        return false;
      case "empty":
      case "anything":
        return true;
      case "or":
        return expression.parts.some((part) => this.acceptsEmpty(part));
      case "and":
        return expression.parts.every((part) => this.acceptsEmpty(part));
      case "not":
        return !this.acceptsEmpty(expression.part);
      case "anywhere":
        return this.acceptsEmpty(expression.part);
      case "repeat":
        return this.acceptsEmpty(this.#reader.unfold(expression));
    }
  }

  /**
   * Characters that a text of an expression may begin with, out of ASCII and the characters that the patterns name:
   * letters and digits before less readable ones.
   */
  firstCharacters(expression: Expression): readonly number[] {
    return this.#firstCharacters.get(expression.id, () => this.#findFirstCharacters(expression));
  }

  #findFirstCharacters(expression: Expression): readonly number[] {
    switch (expression.kind) {
      case "nothing":
      case "empty":
        return [];
      case "anything":
      case "not":
      case "anywhere":
        return this.#reader.characters.alphabet;
      case "character":
        return expression.characters.members();
      case "or": {
        const parts = new Set(expression.parts.flatMap((part) => this.firstCharacters(part)));
        return this.#reader.characters.alphabet.filter((codePoint) => parts.has(codePoint));
      }
      case "and": {
        const [first = [], ...others] = expression.parts.map((part) => this.firstCharacters(part))
          .sort((left, right) => left.length - right.length);
        return first.filter((codePoint) => others.every((part) => part.includes(codePoint)));
      }
      case "repeat":
        return this.firstCharacters(this.#reader.unfold(expression));
    }
  }

  /** A lower bound for the length of the texts that an expression matches; `Infinity` where there is no text. */
  shortest(expression: Expression): number {
    const known = this.#shortest.get(expression);
    if (known !== undefined) return known;
    const length = this.#findShortest(expression);
    this.#shortest.set(expression, length);
    return length;
  }

  #findShortest(expression: Expression): number {
    switch (expression.kind) {
      case "nothing":
        return Infinity;
      case "empty":
      case "anything":
      case "not":
        return 0;
      case "character":
        return 1 + this.shortest(expression.next);
      case "or":
        return Math.min(...expression.parts.map((part) => this.shortest(part)));
      case "and":
        return Math.max(...expression.parts.map((part) => this.shortest(part)));
      case "anywhere":
        return this.shortest(expression.part);
      case "repeat":
        return expression.times.least * shortestMatch(expression.element) + this.shortest(expression.next);
    }
  }
}

/** A lower bound for the length of the texts that an element of a pattern matches. */
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

/** The most values that are memoised at a time: each distinct character of a long text adds some. */
const MOST_MEMOISED = 100_000;

/**
 * Memoised least fixed point: returns `least` on re-entry. Computing a value re-enters its own key where an element that
 * may be empty is repeated, as in `(a?)*`.
 */
class LeastFixedPoint<Value> {
  readonly #least: Value;
  readonly #known = new Map<number, Value>();
  /** Keys that are being computed, with their depth. */
  readonly #computing = new Map<number, number>();
  /** Depth of the outermost key that was re-entered. */
  #outermost = Infinity;

  constructor(least: Value) {
    this.#least = least;
  }

  get(key: number, compute: () => Value): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const reentered = this.#computing.get(key);
    if (reentered !== undefined) {
      this.#outermost = Math.min(this.#outermost, reentered);
      return this.#least;
    }
    const depth = this.#computing.size;
    const before = this.#outermost;
    this.#outermost = Infinity;
    this.#computing.set(key, depth);
    const value = compute();
    this.#computing.delete(key);
    // A value that depends on the `least` of a key further out is provisional, and isn't kept.
    const isFinal = this.#outermost >= depth;
    if (this.#known.size > MOST_MEMOISED) this.#known.clear();
    if (isFinal) this.#known.set(key, value);
    this.#outermost = Math.min(before, isFinal ? Infinity : this.#outermost);
    return value;
  }
}
