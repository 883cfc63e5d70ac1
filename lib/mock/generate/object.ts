import type { Schema } from "../../schema/schema.ts";
import { type Built, type Failure, isFailure } from "./body.ts";
import { type Conjunction, schemasOf } from "./conjunction.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { type ObjectExample, objectExampleOf } from "./example.ts";
import { Properties } from "./properties.ts";
import { happens, hashWith } from "./random.ts";
import { usesExamples } from "./suggested_value.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * The most undeclared names that may fail before the search for another name ends. Mostly the same schemas apply to all
 * undeclared names.
 */
const MOST_FAILURES = 20;
/**
 * The fewest values that an optional object or array may get. With fewer, it would be nearly empty, and is left out.
 */
const LEAST_SHARE = 3;

/**
 * Builds an object: its required properties, and the optional properties that the definition declares.
 *
 * @param path The path that the properties' paths are derived from. Its `depth` already counts this object.
 */
export function buildObject(context: GeneratorContext, conjunction: Conjunction, path: ValuePath): Built | Failure {
  return new ObjectBuilder(context, conjunction, path).build();
}

class ObjectBuilder {
  readonly #context: GeneratorContext;
  readonly #conjunction: Conjunction;
  readonly #path: ValuePath;
  readonly #schemas: readonly [Schema, ...Schema[]];
  readonly #properties: Properties;
  readonly #example: ObjectExample;
  readonly #least: number;
  readonly #most: number;
  readonly #object = new Map<string, unknown>();
  /** How many values the body could still get when building this object began. */
  readonly #valuesBefore: number;
  #unbuiltProperties = 0;

  constructor(context: GeneratorContext, conjunction: Conjunction, path: ValuePath) {
    this.#context = context;
    this.#conjunction = conjunction;
    this.#path = path;
    this.#schemas = schemasOf(conjunction);
    this.#properties = new Properties(context, conjunction);
    this.#example = objectExampleOf(conjunction, path.preferred, usesExamples(context, path));
    this.#least = Math.max(0, ...this.#schemas.map(({ minProperties = 0 }) => minProperties));
    this.#most = Math.min(...this.#schemas.map(({ maxProperties = Infinity }) => maxProperties));
    this.#valuesBefore = context.budget.values;
  }

  build(): Built | Failure {
    const contradiction = this.#contradictionInCount() ?? this.#contradictionInRequired();
    if (contradiction !== undefined) return contradiction;
    const { known, required } = this.#properties;
    const wanted = new Set(
      [...known, ...this.#example.values.keys()].filter((name) => !required.has(name) && this.#isWanted(name)),
    );
    this.#unbuiltProperties = required.size + wanted.size;
    const failure = this.#addRequired();
    if (failure !== undefined) return failure;
    const leftOut = this.#addOptional(wanted);
    const { budget } = this.#context;
    if (budget.exhausted !== undefined) {
      return { reason: "the body became too large", schema: this.#schemas[0], proven: false };
    }
    const example = known.size === 0 && this.#most > 0 && this.#showsMap() ? 1 : 0;
    const hasNoOthers = this.#addFree(leftOut, this.#object.size < this.#least ? this.#least : example);
    return this.#object.size < this.#least ? this.#tooFew(leftOut, hasNoOthers) : { value: this.#inOrder() };
  }

  #contradictionInCount(): Failure | undefined {
    const [schema] = this.#schemas;
    if (this.#properties.required.size > this.#most) {
      return { reason: "more properties are required than `maxProperties` allows", schema, proven: true };
    }
    if (this.#least > this.#most) return { reason: "`minProperties` is above `maxProperties`", schema, proven: true };
    return undefined;
  }

  /** A contradiction within the schemas of a required property, found without search. */
  #contradictionInRequired(): Failure | undefined {
    for (const name of this.#properties.required) {
      const contradiction = this.#properties.contradictionIn(name);
      if (contradiction !== undefined) return inRequiredProperty(contradiction, name);
    }
    return undefined;
  }

  /**
   * Adds the required properties. Properties with `not` are built first, because their values are the likeliest to be
   * impossible. One impossible value refuses the whole object, so no other property is built in vain.
   */
  #addRequired(): Failure | undefined {
    const names = [...this.#properties.required];
    const negated = names.filter((name) => this.#properties.partsOf(name).some(({ not }) => not !== undefined));
    for (const name of new Set([...negated, ...names])) {
      const built = this.#buildProperty(name, false, this.#left() / Math.max(1, this.#unbuiltProperties--));
      if (isFailure(built)) return inRequiredProperty(built, name);
      this.#object.set(name, built.value);
    }
    return undefined;
  }

  /** The number of values that the object may still get. */
  #left(): number {
    return this.#path.share - (this.#valuesBefore - this.#context.budget.values);
  }

  /**
   * Adds the optional properties named in `wanted`, as far as `maxProperties` and the budget allow. Returns the
   * declared names that were left out.
   */
  #addOptional(wanted: ReadonlySet<string>): string[] {
    const leftOut: string[] = [];
    for (const name of new Set([...this.#properties.known, ...wanted])) {
      if (this.#object.has(name)) continue;
      const built = wanted.has(name) && this.#object.size < this.#most ? this.#buildOptional(name) : undefined;
      if (this.#context.budget.exhausted !== undefined) return leftOut;
      if (built === undefined || isFailure(built)) leftOut.push(name);
      else this.#object.set(name, built.value);
    }
    this.#dropUnmetDependencies();
    return leftOut;
  }

  /**
   * Builds an optional property with an equal share of the values that are left. Returns `undefined` if the share is
   * too small.
   */
  #buildOptional(name: string): Built | Failure | undefined {
    const least = this.#properties.isScalar(name) ? 1 : LEAST_SHARE;
    const share = Math.max(this.#left() / this.#unbuiltProperties--, least);
    return share > this.#left() ? undefined : this.#buildProperty(name, true, share);
  }

  #isWanted(name: string): boolean {
    const { limits, variation } = this.#context;
    const { depth, hash, enclosing } = this.#path;
    if (happens(variation.omission, hashWith(hash, `omit ${name}`))) return false;
    if (this.#properties.contradictionIn(name) !== undefined) return false;
    if (this.#example.values.has(name)) return true;
    if (this.#example.describes(name)) return false;
    if (this.#properties.partsOf(name).length === 0) return true;
    if (this.#properties.isRecursive(name, enclosing)) return false;
    return depth < limits.depth || (limits.depth > 0 && this.#properties.isScalar(name));
  }

  #buildProperty(name: string, optional: boolean, share = Infinity): Built | Failure {
    const parts = this.#properties.partsOf(name);
    const anything: Schema = { node: this.#schemas[0].node };
    return this.#context.build(parts.length === 0 ? [anything] : parts, {
      ...this.#path,
      name,
      hash: hashWith(this.#path.hash, name),
      optional,
      preferred: [...this.#conjunction.preferred.get(name) ?? [], ...this.#example.values.get(name) ?? []],
      share: share - 1,
    });
  }

  /** Removes optional properties whose `dependentRequired` properties are missing. */
  #dropUnmetDependencies(): void {
    const dependencies = this.#schemas.flatMap(({ dependentRequired }) => [...dependentRequired ?? []]);
    for (let size = Infinity; this.#object.size < size;) {
      size = this.#object.size;
      for (const [name, needed] of dependencies) {
        if (this.#object.has(name) && !needed.every((other) => this.#object.has(other))) this.#object.delete(name);
      }
    }
  }

  /** Whether an object without declared properties (a map) gets one property, as an example. */
  #showsMap(): boolean {
    const { limits, variation } = this.#context;
    if (this.#path.depth > Math.max(limits.depth, 1)) return false;
    return this.#properties.hasDescribedOthers || (variation.isVaried && limits.depth > 0);
  }

  /**
   * Adds properties until the object has `count`: first the declared ones in `leftOut`, then undeclared ones.
   *
   * @returns Whether undeclared properties are proven impossible.
   */
  #addFree(leftOut: readonly string[], count: number): boolean {
    if (this.#object.size >= count) return false;
    const { budget } = this.#context;
    let failures = 0;
    let hasNoOthers = false;
    const optional = this.#object.size >= this.#least;
    for (const name of this.#freeNames(leftOut)) {
      if (this.#object.size >= count || failures > MOST_FAILURES || budget.exhausted !== undefined) break;
      if (this.#object.has(name)) continue;
      const built = this.#properties.contradictionIn(name) ?? this.#buildProperty(name, optional);
      if (!isFailure(built)) {
        this.#object.set(name, built.value);
      } else if (!leftOut.includes(name)) {
        failures++;
        hasNoOthers ||= built.proven && this.#properties.areOthersAlike;
      }
    }
    this.#dropUnmetDependencies();
    return hasNoOthers;
  }

  *#freeNames(leftOut: readonly string[]): Generator<string> {
    yield* leftOut;
    yield* this.#properties.undeclaredNames(this.#path);
  }

  #tooFew(leftOut: readonly string[], hasNoOthers: boolean): Failure {
    const proven = (this.#properties.isClosed || hasNoOthers) &&
      leftOut.every((name) => this.#properties.contradictionIn(name) !== undefined);
    const schema = this.#schemas.find(({ minProperties = 0 }) => minProperties === this.#least) ?? this.#schemas[0];
    return { reason: "there are fewer properties than `minProperties` wants", schema, proven };
  }

  /**
   * The object with its properties in the order of the definition. Uses `Object.fromEntries`, because assigning a
   * property named `__proto__` would set the prototype.
   */
  #inOrder(): Record<string, unknown> {
    const names = new Set([...this.#properties.known].filter((name) => this.#object.has(name)));
    return Object.fromEntries(
      [...new Set([...names, ...this.#object.keys()])].map((name) => [name, this.#object.get(name)]),
    );
  }
}

function inRequiredProperty(failure: Failure, name: string): Failure {
  if (failure.reason.startsWith("the required property")) return failure;
  return { ...failure, reason: `the required property ${writeJson(name)}: ${failure.reason}` };
}
