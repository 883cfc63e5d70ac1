import { equalityKey } from "../../schema/json/equal.ts";
import type { Schema } from "../../schema/schema.ts";
import { type Built, type Failure, isFailure } from "./body.ts";
import { type Conjunction, followsFrom, schemasOf } from "./conjunction.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { createRandom, hashWith, randomInteger } from "./random.ts";
import { examplesOf, usesExamples } from "./suggested_value.ts";

/** The most items of an array. A larger `minItems` is considered a mistake. */
const MOST_ITEMS = 10_000;
/** The most attempts at an item that differs from the items before it (`uniqueItems`). */
const MOST_ATTEMPTS = 10;

/**
 * A `contains` keyword, with the numbers of matching items that are still missing (`minContains`) and still allowed
 * (`maxContains`).
 */
interface Contains {
  readonly schema: Schema;
  missing: number;
  allowed: number;
}

/**
 * Builds an array of a few items, or of as many as its schemas require.
 *
 * @param path The path that the items' paths are derived from. Its `depth` and `arrays` already count this array.
 */
export function buildArray(context: GeneratorContext, conjunction: Conjunction, path: ValuePath): Built | Failure {
  return new ArrayBuilder(context, conjunction, path).build();
}

class ArrayBuilder {
  readonly #context: GeneratorContext;
  readonly #conjunction: Conjunction;
  readonly #path: ValuePath;
  readonly #schemas: readonly [Schema, ...Schema[]];
  /** The schema that a failure names if the number of items is impossible. */
  readonly #limiting: Schema;
  readonly #contains: readonly Contains[];
  /** An example that isn't valid as a whole, from which the valid items are taken. */
  readonly #example: readonly unknown[];
  readonly #least: number;
  readonly #most: number;
  readonly #prefixLength: number;
  readonly #size: number;
  readonly #isUnique: boolean;
  readonly #items: unknown[] = [];
  /** Canonical JSON texts of the items, to compare items by value. */
  readonly #seen = new Set<string>();
  /** How many values the body could still get when building this array began. */
  readonly #valuesBefore: number;
  /**
   * Whether `contains` is proven unsatisfiable: there is exactly one, and each item so far was proven unable to match
   * it.
   */
  #containsIsImpossible: boolean;

  constructor(context: GeneratorContext, conjunction: Conjunction, path: ValuePath) {
    this.#context = context;
    this.#conjunction = conjunction;
    this.#path = path;
    const schemas = this.#schemas = schemasOf(conjunction);
    this.#limiting = schemas.find(({ minItems, contains }) => minItems ?? contains) ?? schemas[0];
    this.#contains = schemas.flatMap(({ contains, minContains = 1, maxContains = Infinity }): Contains[] =>
      contains === undefined ? [] : [{ schema: contains, missing: minContains, allowed: maxContains }]
    );
    const examples = usesExamples(context, path) ? examplesOf(schemas) : [];
    this.#example = [...path.preferred, ...examples].find(Array.isArray) ?? [];
    this.#least = Math.max(
      0,
      ...schemas.map(({ minItems = 0 }) => minItems),
      ...this.#contains.map(({ missing }) => missing),
    );
    this.#most = Math.min(...schemas.map(({ maxItems = Infinity }) => maxItems));
    this.#prefixLength = Math.max(0, ...schemas.map(({ prefixItems }) => prefixItems?.length ?? 0));
    const wanted = this.#contains.reduce((sum, { missing }) => sum + missing, 0);
    this.#size = Math.max(this.#least, Math.min(this.#most, Math.max(this.#usualSize(), this.#prefixLength, wanted)));
    this.#isUnique = schemas.some(({ uniqueItems }) => uniqueItems === true);
    this.#valuesBefore = context.budget.values;
    this.#containsIsImpossible = this.#contains.length === 1;
  }

  build(): Built | Failure {
    const contradiction = this.#contradictionInCount();
    if (contradiction !== undefined) return contradiction;
    const { budget } = this.#context;
    const [items, least] = [this.#items, this.#least];
    for (let index = 0; index < this.#size || this.#isMissing(); index++) {
      if (index >= this.#most || index >= MOST_ITEMS) break;
      if (index >= least && !this.#isMissing() && this.#shareOf(index) < 1) break;
      const built = this.#buildItem(index);
      if (isFailure(built)) {
        if (items.length < least || this.#isMissing() || budget.exhausted !== undefined) return built;
        break;
      }
      items.push(built.value);
      this.#seen.add(equalityKey(built.value));
    }
    if (!this.#isMissing()) return { value: items };
    const reason = "there are fewer items for `contains` than `minContains` wants";
    return { reason, schema: this.#limiting, proven: this.#containsIsImpossible };
  }

  #contradictionInCount(): Failure | undefined {
    if (this.#least > this.#most) {
      return { reason: "`minItems` is above `maxItems`", schema: this.#limiting, proven: true };
    }
    if (this.#least > MOST_ITEMS) {
      return { reason: `more than ${MOST_ITEMS} items are not generated`, schema: this.#limiting, proven: false };
    }
    const contradicted = this.#contains.find(({ missing, allowed }) => missing > allowed);
    if (contradicted === undefined) return undefined;
    return { reason: "`minContains` is above `maxContains`", schema: contradicted.schema, proven: true };
  }

  #isMissing(): boolean {
    return this.#contains.some(({ missing }) => missing > 0);
  }

  /**
   * The most values, nested ones included, that the next item should have: the part of the array's budget that is left,
   * divided by the number of items that are still to be built.
   */
  #shareOf(index: number): number {
    const left = this.#path.share - (this.#valuesBefore - this.#context.budget.values);
    return left / Math.max(1, this.#size - index);
  }

  #usualSize(): number {
    const { arraySize, variation } = this.#context;
    const isOutermost = this.#path.arrays === 1;
    if (isOutermost && arraySize !== undefined) return arraySize;
    const [count] = this.#schemas.flatMap(({ extensions }) => extensions?.["x-count"] ?? []);
    if (typeof count === "number") return count;
    if (this.#example.length > 0) return this.#example.length;
    if (!isOutermost) return 1;
    return variation.isVaried ? randomInteger(1, 3, createRandom(hashWith(this.#path.hash, "size"))) : 2;
  }

  #buildItem(index: number): Built | Failure {
    const optional = index >= this.#least && !this.#isMissing();
    const parts = this.#partsOf(index);
    let failure: Failure | undefined;
    for (const demanded of this.#demandsOf(index)) {
      const excluded = this.#contains.filter((contains) => !demanded.includes(contains) && contains.allowed <= 0);
      const built = this.#buildDistinct(
        [
          ...parts,
          ...demanded.map(({ schema }) => schema),
          ...excluded.map(({ schema }): Schema => ({ node: schema.node, not: schema })),
        ],
        index,
        optional,
      );
      if (isFailure(built)) {
        failure ??= built;
        this.#containsIsImpossible &&= built.proven;
        continue;
      }
      if (demanded.length > 0) this.#containsIsImpossible = false;
      for (const contains of this.#contains) {
        if (!this.#context.isValid(built.value, contains.schema)) continue;
        contains.missing--;
        contains.allowed--;
      }
      return built;
    }
    return failure ?? { reason: "no item was made", schema: this.#limiting, proven: false };
  }

  /**
   * Sets of `contains` keywords that one item should match, in the order in which they are tried: first all keywords
   * that have too few matching items, then each of these alone. Within `prefixItems`, the empty set comes last, because
   * a later item may still match. After `prefixItems`, the same schemas apply to all items: if one item can't match
   * any `contains`, no later item can.
   */
  #demandsOf(index: number): readonly (readonly Contains[])[] {
    const missing = this.#contains.filter((contains) => contains.missing > 0);
    const demands = [missing, ...missing.length > 1 ? missing.map((contains) => [contains]) : []];
    return missing.length > 0 && index < this.#prefixLength ? [...demands, []] : demands;
  }

  #buildDistinct(parts: readonly Schema[], index: number, optional: boolean): Built | Failure {
    const { node } = this.#limiting;
    const asked = parts.length === 0 ? [{ node }] : parts;
    for (let attempt = 0; attempt < 2 * MOST_ATTEMPTS; attempt++) {
      // New random choices gave no different item. Require more items or properties inside the item, because a larger
      // array or object may differ.
      const size = attempt - MOST_ATTEMPTS;
      const larger: Schema[] = size < 0 ? [] : [{ node, minProperties: size, minItems: size }];
      const built = this.#context.build([...asked, ...larger], this.#pathOf(index, attempt, optional));
      if (isFailure(built) && size < 0) return built;
      if (!isFailure(built) && (!this.#isUnique || !this.#seen.has(equalityKey(built.value)))) return built;
    }
    // All attempts repeated an earlier item: build any value that differs from the items so far.
    const other: Schema = { node, not: { node, enum: this.#items } };
    const path = { ...this.#path, hash: hashWith(this.#path.hash, index), optional, preferred: [] };
    const built = this.#context.build([...asked, other], path);
    if (!isFailure(built)) return built;
    const proven = built.proven && this.#prefixLength === 0 && this.#contains.length === 0;
    return { reason: "there are fewer different items than `minItems` wants", schema: this.#limiting, proven };
  }

  /** The path of an item. Each attempt gets another seed of the random choices. */
  #pathOf(index: number, attempt: number, optional: boolean): ValuePath {
    const path = this.#path;
    const number = index + attempt;
    return {
      ...path,
      hash: hashWith(path.hash, attempt === 0 ? index : `${index} ${attempt}`),
      group: number === 0 ? path.group : hashWith(path.group, number),
      index: number,
      optional,
      preferred: attempt === 0 && this.#example.length > index ? [this.#example[index]] : [],
      share: this.#shareOf(index) - 1,
    };
  }

  /** The subschemas of `prefixItems`, `items` and `unevaluatedItems` that apply to an item. */
  #partsOf(index: number): Schema[] {
    const parts = this.#schemas.flatMap((member) => itemOf(member, index));
    for (const member of this.#schemas) {
      if (member.unevaluatedItems === undefined) continue;
      const isEvaluated = this.#schemas.some((other) =>
        followsFrom(this.#conjunction, other, member) && itemOf(other, index).length > 0
      );
      if (!isEvaluated) parts.push(member.unevaluatedItems);
    }
    return parts;
  }
}

function itemOf({ prefixItems, items }: Schema, index: number): Schema[] {
  const item = prefixItems?.[index] ?? items;
  return item === undefined ? [] : [item];
}
