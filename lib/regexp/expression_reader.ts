import type { AST } from "@eslint-community/regexpp";
import { CharacterClasses, isCharacter, PRINTABLE } from "./character_class.ts";
import { type Expression, ExpressionFactory, type Repetition } from "./expression.ts";

/**
 * How a positive look-behind is read: it is `assumed` to match, or the text that it demands is `inserted` at its place.
 */
export type LookBehind = "assumed" | "inserted";

/**
 * Reads patterns as expressions. Back-references, word boundaries next to a group, and look-behind that is `assumed`
 * match everywhere: such an expression matches more texts than its pattern does. The generator of sample texts has
 * look-behind `inserted`, so that its texts satisfy the look-behind.
 */
export class ExpressionReader {
  readonly expressions: ExpressionFactory = new ExpressionFactory();
  readonly characters: CharacterClasses;

  readonly #lookBehind: LookBehind;

  /** @param flags Flags of the patterns: `u` or none. */
  constructor(flags: string, lookBehind: LookBehind) {
    this.#lookBehind = lookBehind;
    this.characters = new CharacterClasses(flags);
  }

  /**
   * Reads a pattern.
   *
   * @param whole Whether the pattern has to match the whole text, as if it had the anchors `^` and `$`.
   */
  read({ alternatives }: AST.Pattern, whole: boolean): Expression {
    alternatives.forEach((alternative) => this.characters.extendAlphabet(alternative));
    const { expressions } = this;
    if (whole) return this.#readAlternatives(alternatives, expressions.empty, true);
    const atStart = this.#readAlternatives(alternatives, expressions.anything, true);
    return expressions.or([
      atStart,
      expressions.anywhere(this.#readAlternatives(alternatives, expressions.anything, false)),
    ]);
  }

  /** The expressions that a repetition stands for: its end, or its element followed by the repetitions that remain. */
  unfold({ element, times: { least, most }, next }: Repetition): Expression {
    const rest = this.expressions.repeat(element, Math.max(0, least - 1), most - 1, next);
    const once = this.#readElement(element, rest, false);
    return least > 0 ? once : this.expressions.or([next, once]);
  }

  #readAlternatives(alternatives: readonly AST.Alternative[], next: Expression, atStart: boolean): Expression {
    return this.expressions.or(alternatives.map(({ elements }) => this.#readElements(elements, 0, next, atStart)));
  }

  /** Reads the elements of an alternative from an index on; `atStart` tells whether `^` matches there. */
  #readElements(elements: readonly AST.Element[], index: number, next: Expression, atStart: boolean): Expression {
    const element = elements[index];
    if (element === undefined) return next;
    if (element.type === "Assertion" && element.kind === "word") {
      return this.expressions.and([
        this.#readWordBoundary(element, elements[index - 1]),
        this.#readElements(elements, index + 1, next, atStart),
      ]);
    }
    if (element.type === "Assertion") {
      return this.#readElement(element, this.#readElements(elements, index + 1, next, atStart), atStart);
    }
    const present = this.#readElement(element, this.#readElements(elements, index + 1, next, false), atStart);
    // If the element is absent, the next element is at the start of the text.
    const mayBeAbsent = atStart && element.type === "Quantifier" && element.min === 0;
    return mayBeAbsent ? this.expressions.or([present, this.#readElements(elements, index + 1, next, true)]) : present;
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
        return next;
      case "Assertion":
        return this.#readAssertion(element, next, atStart);
    }
  }

  #readAssertion(assertion: AST.Assertion, next: Expression, atStart: boolean): Expression {
    const { expressions } = this;
    switch (assertion.kind) {
      case "start":
        return atStart ? next : expressions.nothing;
      case "end":
        return expressions.and([expressions.empty, next]);
      case "lookahead": {
        const ahead = this.#readAlternatives(assertion.alternatives, expressions.anything, atStart);
        return expressions.and([assertion.negate ? expressions.negate(ahead) : ahead, next]);
      }
      case "lookbehind":
        if (assertion.negate || this.#lookBehind === "assumed") return next;
        return this.#readAlternatives(assertion.alternatives, next, atStart);
      case "word":
        return next;
    }
  }

  /** The texts that may follow a word boundary: they depend on the element before it. */
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
