import { BoundedCache } from "../http/limits/bounded_cache.ts";
import type { AST } from "@eslint-community/regexpp";
import type { Expression } from "./expression.ts";
import { ExpressionReader, type Use } from "./expression_reader.ts";
import { spend, type Steps } from "./steps.ts";

const CODE_POINTS = 0x110000;

/**
 * Brzozowski derivatives of regular expressions. The derivative of an expression by a character matches the rest of
 * each text that begins with that character. A text matches an expression if the derivative by all characters of the
 * text, one after the other, matches the empty text.
 *
 * Matching takes one step for each character, where backtracking may take exponential time. Derivatives also exist for
 * intersection, which expresses look-ahead and several patterns for one text, and for complement, which expresses
 * negative look-ahead.
 *
 * @see {@link https://doi.org/10.1145/321239.321249 J. A. Brzozowski, Derivatives of Regular Expressions}
 */
export class Derivatives {
  readonly #reader: ExpressionReader;
  readonly #steps: Steps;
  readonly #acceptsEmpty = new LeastFixedPoint(false);
  readonly #firstCharacters = new LeastFixedPoint<readonly number[]>([]);
  readonly #derivatives: LeastFixedPoint<Expression>;
  readonly #shortest = new Map<Expression, number>();

  /**
   * @param flags Flags of the patterns: `u` or the empty string.
   * @param steps The steps left for making derivatives. All methods throw `OutOfSteps` when they are spent.
   */
  constructor(flags: string, use: Use, steps: Steps) {
    this.#steps = steps;
    this.#reader = new ExpressionReader(flags, use, steps);
    this.#derivatives = new LeastFixedPoint(this.#reader.expressions.nothing);
  }

  /** The number of distinct expressions made so far. */
  get size(): number {
    return this.#reader.expressions.size;
  }

  /**
   * Translates a parsed pattern to an expression.
   *
   * @param whole Whether the pattern has to match the whole text, as if it had the anchors `^` and `$`.
   */
  read(pattern: AST.Pattern, whole: boolean): Expression {
    return this.#reader.read(pattern, whole);
  }

  and(expressions: readonly Expression[]): Expression {
    return this.#reader.expressions.and(expressions);
  }

  derive(expression: Expression, codePoint: number): Expression {
    const key = expression.id * CODE_POINTS + codePoint;
    return this.#derivatives.get(key, () => this.#findDerivative(expression, codePoint));
  }

  #findDerivative(expression: Expression, codePoint: number): Expression {
    spend(this.#steps, 1);
    const { expressions } = this.#reader;
    switch (expression.kind) {
      case "nothing":
      case "empty":
        return expressions.nothing;
      case "anything":
        return expression;
      case "character":
        spend(this.#steps, expression.characters.work);
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

  /** Whether an expression is nullable: whether it matches the empty text. */
  acceptsEmpty(expression: Expression): boolean {
    return this.#acceptsEmpty.get(expression.id, () => this.#findAcceptsEmpty(expression));
  }

  #findAcceptsEmpty(expression: Expression): boolean {
    spend(this.#steps, 1);
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
   * The first characters of the texts that an expression matches, out of the alphabet of sample texts; some may lead to
   * no match. Letters and digits come first.
   */
  firstCharacters(expression: Expression): readonly number[] {
    return this.#firstCharacters.get(expression.id, () => this.#findFirstCharacters(expression));
  }

  #findFirstCharacters(expression: Expression): readonly number[] {
    spend(this.#steps, 1);
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
        spend(this.#steps, expression.parts.length);
        return this.#reader.characters.alphabet.filter((codePoint) => parts.has(codePoint));
      }
      case "and": {
        const [first = [], ...others] = expression.parts.map((part) => this.firstCharacters(part))
          .sort((left, right) => left.length - right.length);
        const sets = others.map((part) => new Set(part));
        return first.filter((codePoint) => sets.every((part) => part.has(codePoint)));
      }
      case "repeat":
        return this.firstCharacters(this.#reader.unfold(expression));
    }
  }

  /**
   * A lower bound for the length of the texts that an expression matches; `Infinity` where it is known to match no
   * text.
   */
  shortest(expression: Expression): number {
    const known = this.#shortest.get(expression);
    if (known !== undefined) return known;
    const length = this.#findShortest(expression);
    this.#shortest.set(expression, length);
    return length;
  }

  #findShortest(expression: Expression): number {
    spend(this.#steps, 1);
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

/** A lower bound for the length of the texts that an element of a pattern, such as `(ab|c)+`, matches. */
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

/** The most memoised values. A long text with many distinct characters would fill it. */
const MOST_MEMOISED = 100_000;

/**
 * Memoised least fixed point: returns `least` where the computation of a value needs that value itself, as for `(a?)*`:
 * its repeated element may match the empty text.
 */
class LeastFixedPoint<Value> {
  readonly #least: Value;
  readonly #known = new BoundedCache<number, Value>(MOST_MEMOISED);
  /** The keys whose values are being computed, with their depth in the recursion. */
  readonly #computing = new Map<number, number>();
  /** The lowest recursion depth among the keys that were needed to compute themselves; `Infinity` if there is none. */
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
    // A value that was computed from the provisional `least` of an outer key isn't final, so it isn't memoised.
    const isFinal = this.#outermost >= depth;
    if (isFinal) this.#known.set(key, value);
    this.#outermost = Math.min(before, isFinal ? Infinity : this.#outermost);
    return value;
  }
}
