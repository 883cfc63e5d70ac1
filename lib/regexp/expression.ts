import type { AST } from "@eslint-community/regexpp";
import type { CharacterClass } from "./character_class.ts";
import { spend, type Steps } from "./steps.ts";

/**
 * A regular expression, extended by intersection and complement. There is no concatenation: a `character` or `repeat`
 * has the expression for the rest of the text in `next`. Expressions are interned: equal ones are one object.
 *
 * | kind | matches |
 * |---|---|
 * | `nothing` | no text |
 * | `empty` | the empty text |
 * | `anything` | all texts |
 * | `character` | a character of a class, then `next` |
 * | `or`, `and`, `not` | the union, the intersection, the complement |
 * | `anywhere` | any characters, then `part` |
 * | `repeat` | an element of a pattern, repeated `least` to `most` times, then `next` |
 */
export type Expression =
  & { readonly id: number }
  & (
    | { readonly kind: "nothing" | "empty" | "anything" }
    | { readonly kind: "character"; readonly characters: CharacterClass; readonly next: Expression }
    | { readonly kind: "or" | "and"; readonly parts: readonly Expression[] }
    | { readonly kind: "not" | "anywhere"; readonly part: Expression }
    | Repetition
  );

/** An element of a pattern, repeated `least` to `most` times, then `next`. */
export interface Repetition {
  readonly id: number;
  readonly kind: "repeat";
  readonly times: { readonly least: number; readonly most: number };
  readonly element: AST.Element;
  readonly next: Expression;
}

/** Makes simplified, interned expressions: equal expressions are one object. */
export class ExpressionFactory {
  readonly #known = new Map<string, Expression>();
  readonly #elementIds = new Map<AST.Element, number>();
  readonly #steps: Steps;

  readonly nothing: Expression = this.#intern("nothing", (id) => ({ id, kind: "nothing" }));
  readonly empty: Expression = this.#intern("empty", (id) => ({ id, kind: "empty" }));
  readonly anything: Expression = this.#intern("anything", (id) => ({ id, kind: "anything" }));

  /** @param steps The steps left: one for each expression, and for each part of a union or an intersection. */
  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** The number of distinct expressions made so far. */
  get size(): number {
    return this.#known.size;
  }

  #intern(key: string, make: (id: number) => Expression): Expression {
    let expression = this.#known.get(key);
    if (expression === undefined) this.#known.set(key, expression = make(this.#known.size));
    return expression;
  }

  character(characters: CharacterClass, next: Expression): Expression {
    if (next === this.nothing) return next;
    return this.#intern(`character ${characters.id} ${next.id}`, (id) => ({ id, kind: "character", characters, next }));
  }

  negate(part: Expression): Expression {
    if (part === this.nothing) return this.anything;
    if (part === this.anything) return this.nothing;
    if (part.kind === "not") return part.part;
    return this.#intern(`not ${part.id}`, (id) => ({ id, kind: "not", part }));
  }

  anywhere(part: Expression): Expression {
    if (part === this.nothing || part === this.anything) return part;
    return this.#intern(`anywhere ${part.id}`, (id) => ({ id, kind: "anywhere", part }));
  }

  or(parts: readonly Expression[]): Expression {
    return this.#combine("or", parts, this.nothing, this.anything);
  }

  and(parts: readonly Expression[]): Expression {
    return this.#combine("and", parts, this.anything, this.nothing);
  }

  #combine(
    kind: "or" | "and",
    given: readonly Expression[],
    neutral: Expression,
    absorbing: Expression,
  ): Expression {
    const parts = new Set<Expression>();
    for (const part of given) {
      if (part === absorbing) return absorbing;
      if (part.kind === kind) part.parts.forEach((inner) => parts.add(inner));
      else if (part !== neutral) parts.add(part);
    }
    spend(this.#steps, 1 + parts.size);
    const [first, ...others] = [...parts].sort((left, right) => left.id - right.id);
    if (first === undefined) return neutral;
    if (others.length === 0) return first;
    const sorted = [first, ...others];
    return this.#intern(`${kind} ${sorted.map(({ id }) => id).join(" ")}`, (id) => ({ id, kind, parts: sorted }));
  }

  repeat(element: AST.Element, least: number, most: number, next: Expression): Expression {
    if (most <= 0) return next;
    let elementId = this.#elementIds.get(element);
    if (elementId === undefined) this.#elementIds.set(element, elementId = this.#elementIds.size);
    const times = { least, most };
    const key = `repeat ${elementId} ${least} ${most} ${next.id}`;
    return this.#intern(key, (id) => ({ id, kind: "repeat", times, element, next }));
  }
}
