import type { AST } from "@eslint-community/regexpp";
import { CharacterClasses, isCharacter, PRINTABLE } from "./character_class.ts";
import type { Steps } from "./steps.ts";
import { type Expression, ExpressionFactory, type Repetition } from "./expression.ts";

/**
 * What expressions are made for, which decides how a positive look-behind such as `(?<=a)` is translated. `match`: it
 * matches everywhere. `sample`: the text that it demands becomes part of the expression, at the place of the
 * look-behind.
 */
export type Use = "match" | "sample";

/**
 * Translates parsed patterns to expressions. A back-reference matches any text of its group. Word boundaries next to a group, negative look-behind,
 * and positive look-behind of expressions to match with, match everywhere, so the expression may match more texts than its
 * pattern. Sample texts have the text of look-behind, since otherwise the pattern wouldn't match them.
 */
export class ExpressionReader {
  readonly expressions: ExpressionFactory;
  readonly characters: CharacterClasses;

  readonly #use: Use;
  /** The groups whose back-references are being translated. */
  readonly #referred = new Set<AST.CapturingGroup>();

  /**
   * @param flags Flags of the patterns: `u` or the empty string.
   * @param steps The steps left for making expressions.
   */
  constructor(flags: string, use: Use, steps: Steps) {
    this.expressions = new ExpressionFactory(steps);
    this.#use = use;
    this.characters = new CharacterClasses(flags, steps);
  }

  /**
   * Translates a parsed pattern to an expression.
   *
   * @param whole Whether the pattern has to match the whole text, as if it had the anchors `^` and `$`.
   */
  read({ alternatives }: AST.Pattern, whole: boolean): Expression {
    if (this.#use === "sample") alternatives.forEach((alternative) => this.characters.extendAlphabet(alternative));
    const { expressions } = this;
    if (whole) return this.#readAlternatives(alternatives, expressions.empty, true);
    const atStart = this.#readAlternatives(alternatives, expressions.anything, true);
    return expressions.or([
      atStart,
      expressions.anywhere(this.#readAlternatives(alternatives, expressions.anything, false)),
    ]);
  }

  /** Expands a repetition by one step: to `next`, or to the element followed by the remaining repetitions. */
  unfold({ element, times: { least, most }, next }: Repetition): Expression {
    const rest = this.expressions.repeat(element, Math.max(0, least - 1), most - 1, next);
    const once = this.#readElement(element, rest, false);
    return least > 0 ? once : this.expressions.or([next, once]);
  }

  #readAlternatives(alternatives: readonly AST.Alternative[], next: Expression, atStart: boolean): Expression {
    return this.expressions.or(alternatives.map(({ elements }) => this.#readElements(elements, next, atStart)));
  }

  /**
   * Translates the elements of an alternative, from the last to the first; `atStart` tells whether `^` matches before
   * the first.
   */
  #readElements(elements: readonly AST.Element[], next: Expression, atStart: boolean): Expression {
    // `^` matches after an assertion, and after an optional element such as the `a?` of `a?^b`, if that is absent.
    let startable = atStart ? elements.findIndex((element) => !mayBeEmptyAtStart(element)) : -1;
    if (atStart && startable === -1) startable = elements.length;
    let [after, afterAtStart] = [next, next];
    for (let index = elements.length - 1; index >= 0; index--) {
      const element = elements[index];
      if (element === undefined) continue;
      const before = elements[index - 1];
      if (index <= startable) afterAtStart = this.#readFirst(element, before, { after, afterAtStart }, true);
      if (index > 0 || !atStart) after = this.#readFirst(element, before, { after, afterAtStart: after }, false);
    }
    return atStart ? afterAtStart : after;
  }

  /** Translates an element, with the expressions for what follows it where `^` doesn't match, and where it does. */
  #readFirst(
    element: AST.Element,
    before: AST.Element | undefined,
    { after, afterAtStart }: { after: Expression; afterAtStart: Expression },
    atStart: boolean,
  ): Expression {
    const { expressions } = this;
    if (element.type === "Assertion" && element.kind === "word") {
      return expressions.and([this.#readWordBoundary(element, before), afterAtStart]);
    }
    if (element.type === "Assertion") return this.#readElement(element, afterAtStart, atStart);
    const present = this.#readElement(element, after, atStart);
    return atStart && mayBeEmptyAtStart(element) ? expressions.or([present, afterAtStart]) : present;
  }

  #readElement(element: AST.Element, next: Expression, atStart: boolean): Expression {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return this.expressions.character(this.characters.of(element), next);
      case "Group":
      case "CapturingGroup":
        return this.#readAlternatives(element.alternatives, next, atStart);
      case "Quantifier":
        return this.expressions.repeat(element.element, element.min, element.max, next);
      case "Backreference":
        return this.#readReference(element, next);
      case "Assertion":
        return this.#readAssertion(element, next, atStart);
    }
  }

  /** Translates a back-reference: to match with, it is any text of its group, or none. */
  #readReference({ resolved }: AST.Backreference, next: Expression): Expression {
    if (this.#use === "sample") return next;
    const { expressions } = this;
    const groups = [resolved].flat();
    if (groups.some((group) => this.#referred.has(group))) return expressions.anything;
    groups.forEach((group) => this.#referred.add(group));
    const texts = groups.map(({ alternatives }) => this.#readAlternatives(alternatives, next, false));
    groups.forEach((group) => this.#referred.delete(group));
    return expressions.or([next, ...texts]);
  }

  #readAssertion(assertion: AST.Assertion, next: Expression, atStart: boolean): Expression {
    const { expressions } = this;
    switch (assertion.kind) {
      case "start":
        return atStart ? next : expressions.nothing;
      case "end":
        return expressions.and([expressions.empty, next]);
      case "lookahead": {
        // What matches more texts than its pattern would refuse too many in a complement.
        if (assertion.negate && this.#use === "match" && refersBack(assertion)) return next;
        const ahead = this.#readAlternatives(assertion.alternatives, expressions.anything, atStart);
        return expressions.and([assertion.negate ? expressions.negate(ahead) : ahead, next]);
      }
      case "lookbehind":
        if (assertion.negate || this.#use === "match") return next;
        return this.#readAlternatives(assertion.alternatives, next, atStart);
      case "word":
        return next;
    }
  }

  /**
   * Translates `\b` or `\B` to an expression for the text after it, which depends on the element before it: after a
   * letter, `\b` demands the end of the text or a character that isn't in `\w`.
   */
  #readWordBoundary(boundary: AST.WordBoundaryAssertion, before: AST.Element | undefined): Expression {
    const { expressions } = this;
    const last = before?.type === "Quantifier" ? before.element : before;
    const word = this.characters.wordCharacters;
    const beforeWord = expressions.character(word, expressions.anything);
    const beforeOther = expressions.negate(beforeWord);
    if (last === undefined) return boundary.negate ? beforeOther : beforeWord;
    if (!isCharacter(last)) return expressions.anything;
    const allowed = PRINTABLE.filter(this.characters.of(last).has);
    const isWord = allowed.length > 0 && allowed.every(word.has);
    return isWord === boundary.negate ? beforeWord : beforeOther;
  }
}

/** Whether `^` may match after an element that stands where it matches. */
function mayBeEmptyAtStart(element: AST.Element): boolean {
  return element.type === "Assertion" || (element.type === "Quantifier" && element.min === 0);
}

/** Whether an element has back-references or look-behind, which derivatives take for matched where they may not be. */
function refersBack(element: AST.Element): boolean {
  if (element.type === "Backreference") return true;
  if (element.type === "Assertion" && element.kind === "lookbehind") return true;
  if (element.type === "Quantifier") return refersBack(element.element);
  return "alternatives" in element && element.alternatives.some(({ elements }) => elements.some(refersBack));
}
