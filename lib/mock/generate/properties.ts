import type { Schema } from "../../schema/schema.ts";
import { spend } from "../../regexp/steps.ts";
import { partsOf } from "../../schema/validator.ts";
import { type Failure, isFailure } from "./body.ts";
import { type Conjunction, followsFrom, schemasOf } from "./conjunction.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { createRandom, hashWith, type Random } from "./random.ts";
import { isScalar } from "./type.ts";

/** The number of schemas from which an index of the declared properties is faster than asking each schema. */
const LEAST_INDEXED = 8;
const UNDECLARED_NAMES = ["key", "more", "other", "extra"];
/** The most undeclared names that are tried. A larger `minProperties` is considered a mistake. */
const MOST_NAMES = 10_000;
/** The most names that are generated for each pattern of `patternProperties`, and for `propertyNames`. */
const MOST_DESCRIBED = 200;

/** The constraints of a conjunction on the properties of an object. */
export class Properties {
  /** Names in `required`, and the names that `dependentRequired` lists for them. */
  readonly required: ReadonlySet<string>;
  /** Names that are declared or required, in the order of the definition. */
  readonly known: ReadonlySet<string>;
  /** Whether a keyword such as `patternProperties` describes undeclared properties. */
  readonly hasDescribedOthers: boolean;
  readonly isClosed: boolean;
  /**
   * Whether the same schemas apply to all undeclared names, because no schema has `patternProperties` or
   * `propertyNames`.
   */
  readonly areOthersAlike: boolean;

  readonly #context: GeneratorContext;
  readonly #conjunction: Conjunction;
  readonly #schemas: readonly [Schema, ...Schema[]];
  /**
   * The schemas that have `propertyNames`. Usually few of the conjunction's schemas do, so a list of them saves time.
   */
  readonly #naming: readonly Schema[];
  readonly #evaluating: readonly Schema[];
  readonly #parts = new Map<string, readonly Schema[]>();
  /** Whether the index is used: there are many schemas, and none has `patternProperties` or `additionalProperties`. */
  readonly #usesIndex: boolean;
  #index: ReadonlyMap<string, readonly Schema[]> | undefined;

  constructor(context: GeneratorContext, conjunction: Conjunction) {
    this.#context = context;
    this.#conjunction = conjunction;
    const schemas = this.#schemas = schemasOf(conjunction);
    this.#naming = schemas.filter(({ propertyNames }) => propertyNames !== undefined);
    this.#evaluating = schemas.filter(({ unevaluatedProperties }) => unevaluatedProperties !== undefined);
    this.required = requiredNames(schemas);
    this.known = new Set([...schemas.flatMap(({ properties }) => [...properties?.keys() ?? []]), ...this.required]);
    this.hasDescribedOthers = schemas.some(({ patternProperties, propertyNames, additionalProperties }) =>
      patternProperties !== undefined || propertyNames !== undefined ||
      (additionalProperties !== undefined && additionalProperties.never === undefined &&
        Object.keys(additionalProperties).length > 1)
    );
    this.isClosed = schemas.some(({ additionalProperties, patternProperties }) =>
      additionalProperties?.never !== undefined && patternProperties === undefined
    );
    this.areOthersAlike = schemas.every(({ patternProperties, propertyNames }) =>
      patternProperties === undefined && propertyNames === undefined
    );
    this.#usesIndex = schemas.length >= LEAST_INDEXED &&
      schemas.every((schema) => (schema.patternProperties ?? schema.additionalProperties) === undefined);
  }

  /** The subschemas that apply to the value of a property. */
  partsOf(name: string): readonly Schema[] {
    let parts = this.#parts.get(name);
    if (parts === undefined) this.#parts.set(name, parts = this.#findParts(name));
    return parts;
  }

  /** The contradiction that makes a property impossible; `undefined` if there is none, or if it depends on a choice. */
  contradictionIn(name: string): Failure | undefined {
    const refusing = this.#naming.find(({ propertyNames }) =>
      propertyNames !== undefined && !this.#context.isValid(name, propertyNames)
    );
    if (refusing !== undefined) return { reason: "`propertyNames` refuses the name", schema: refusing, proven: true };
    const parts = this.partsOf(name);
    const merged = parts.length === 0 ? {} : this.#context.branches.mergeRequired(parts);
    return isFailure(merged) ? merged : undefined;
  }

  isScalar(name: string): boolean {
    const merged = this.#context.branches.mergeRequired(this.partsOf(name));
    return !isFailure(merged) && isScalar([...merged.members.keys()]);
  }

  /** Whether the value of a property must satisfy one of the schemas that enclose it. */
  isRecursive(name: string, enclosing: readonly Schema[]): boolean {
    const merged = this.#context.branches.mergeRequired(this.partsOf(name));
    return !isFailure(merged) && merged.referenced.some((schema) => enclosing.includes(schema));
  }

  /**
   * Generates names for undeclared properties. Names from `propertyNames` or `patternProperties` come first. A name may
   * be invalid.
   *
   * @param path The path of the object's parts.
   */
  *undeclaredNames(path: ValuePath): Generator<string> {
    const { variation } = this.#context;
    const naming = this.#naming.flatMap(({ propertyNames }) => propertyNames ?? []);
    const patterns = new Set(this.#schemas.flatMap(({ patternProperties }) => [...patternProperties?.keys() ?? []]));
    const random = createRandom(hashWith(path.hash, "names"));
    for (const { enum: listed = [] } of naming) for (const name of listed) if (typeof name === "string") yield name;
    yield* this.#matchingNames(patterns, 0, random);
    const suffix = variation.isVaried ? String(path.hash % 100) : "";
    for (const name of UNDECLARED_NAMES) yield `${name}${suffix}`;
    for (let index = 1; index < MOST_NAMES; index++) {
      if (index <= MOST_DESCRIBED) {
        yield* this.#matchingNames(patterns, index % 10, random);
        yield* this.#allowedNames(naming, index, path);
      }
      yield `key${index}`;
    }
  }

  *#matchingNames(patterns: Iterable<string>, minLength: number, random: Random): Generator<string> {
    for (const pattern of patterns) {
      const text = this.#context.textWriter.write({ patterns: [pattern], minLength, maxLength: Infinity }, random);
      if (text !== undefined) yield text;
    }
  }

  *#allowedNames(naming: readonly Schema[], index: number, path: ValuePath): Generator<string> {
    if (naming.length === 0) return;
    const text: Schema = { node: this.#schemas[0].node, types: ["string"] };
    const namePath = { ...path, hash: hashWith(path.hash, index), optional: true };
    const built = this.#context.build([...naming, text], namePath);
    if (!isFailure(built) && typeof built.value === "string") yield built.value;
  }

  #findParts(name: string): readonly Schema[] {
    const { matches, steps } = this.#context;
    const schemas = this.#schemas;
    spend(steps, schemas.length);
    const parts = this.#usesIndex
      ? [...(this.#index ??= indexDeclared(schemas)).get(name) ?? []]
      : schemas.flatMap((member) => partsOf(name, member, matches));
    for (const member of this.#evaluating) {
      if (member.unevaluatedProperties === undefined) continue;
      spend(steps, schemas.length);
      const isEvaluated = schemas.some((other) =>
        followsFrom(this.#conjunction, other, member) && partsOf(name, other, matches).length > 0
      );
      if (!isEvaluated) parts.push(member.unevaluatedProperties);
    }
    return parts;
  }
}

function indexDeclared(schemas: readonly Schema[]): ReadonlyMap<string, readonly Schema[]> {
  const index = new Map<string, Schema[]>();
  for (const { properties } of schemas) {
    for (const [name, part] of properties ?? []) {
      const parts = index.get(name);
      if (parts === undefined) index.set(name, [part]);
      else parts.push(part);
    }
  }
  return index;
}

function requiredNames(schemas: readonly Schema[]): Set<string> {
  const names = new Set(schemas.flatMap(({ required = [] }) => required));
  for (const name of names) {
    for (const { dependentRequired } of schemas) dependentRequired?.get(name)?.forEach((needed) => names.add(needed));
  }
  return names;
}
