import { BoundedCache } from "../http/limits/bounded_cache.ts";
import type { ReadPattern } from "../regexp/pattern.ts";
import type { SchemaDocument } from "./dialect.ts";
import { createTypesContext, findTypes, type TypesContext } from "./allowed_types.ts";
import { type ChosenSchema, combinations, NOTHING_CHOSEN, openChoice, placeKey, schemasInPlace } from "./in_place.ts";
import type { Node } from "./json/node.ts";
import { createSchemaReader } from "./schema_reader.ts";
import type { Direction, Schema, Type } from "./schema.ts";
import { withinSteps } from "../regexp/steps.ts";

/** Has the function that parses regular expressions, once the parser is imported. */
export interface PatternSource {
  readonly readPattern: ReadPattern | undefined;
}

/**
 * Makes {@linkcode Hints} for a schema. The schema is read when the hints are first used. Properties that the direction
 * excludes (`readOnly`, `writeOnly`) have hints too, so that their values can be decoded.
 *
 * @param schema The schema; without one, the hints allow any type.
 * @param patterns Parses the regular expressions of `patternProperties`. Until its parser is imported, each of them
 * counts as matching any name.
 */
export function readHints(
  document: SchemaDocument,
  schema: Node | undefined,
  direction: Direction = "request",
  patterns: PatternSource = NO_PATTERNS,
): Hints {
  const read = (): Schema[] => {
    if (schema?.value === undefined) return [];
    return withinSteps(() => [createSchemaReader(document, direction, "described").read(schema)], () => []);
  };
  return new Hints(
    { ...createTypesContext(), patterns, known: new BoundedCache(MOST_KNOWN) },
    read,
    "all",
    NOTHING_CHOSEN,
  );
}

const NO_PATTERNS: PatternSource = { readPattern: undefined };

/**
 * The relation of a list of schemas to a value: `all` if each schema describes the value, `any` if at least one does.
 */
type Extent = "all" | "any";

/** Size at which the cache of hints is cleared. */
const MOST_KNOWN = 20_000;

/** A cache that all hints derived from one schema share: equal lists of schemas have one `Hints` object. */
interface Context extends TypesContext {
  readonly patterns: PatternSource;
  readonly known: BoundedCache<string, Hints>;
}

/**
 * The types and properties that a schema allows, for decoding text, which has no types: `3` in a query is a number
 * where the schema has the type `integer`. Hints may be wrong, so the decoded value must be validated.
 *
 * Hints for properties and items are made at their first use, since a recursive schema has infinitely many.
 */
export class Hints {
  readonly #context: Context;
  readonly #read: () => readonly Schema[];
  readonly #extent: Extent;
  readonly #chosen: ChosenSchema;
  #alternatives?: readonly Schema[];
  #schemas?: readonly Schema[];
  #types?: ReadonlySet<Type>;
  #propertyNames?: ReadonlySet<string>;
  #required?: ReadonlySet<string>;
  #branches?: readonly Hints[];
  #partExtent?: Extent;
  #positions?: number;
  #itemOfArray?: Hints;
  #otherProperty?: Hints;
  readonly #properties = new Map<string, Hints>();
  readonly #items = new Map<number, Hints>();

  constructor(context: Context, read: () => readonly Schema[], extent: Extent, chosen: ChosenSchema) {
    this.#context = context;
    this.#read = read;
    this.#extent = extent;
    this.#chosen = chosen;
  }

  /**
   * The schemas that these hints are made from. Depending on `Extent`, each of them describes the value, or at least
   * one does.
   */
  get alternatives(): readonly Schema[] {
    return this.#alternatives ??= this.#read();
  }

  /**
   * The schemas of `alternatives`, and those that they apply to the same value with `$ref`, `allOf`, `oneOf` and so on,
   * the outermost first.
   */
  get schemas(): readonly Schema[] {
    return this.#schemas ??= schemasInPlace(this.#context, this.alternatives, this.#chosen);
  }

  /**
   * The types that the value may have; empty when any type is allowed, or when finding the types takes too many steps.
   */
  get types(): ReadonlySet<Type> {
    if (this.#itemOfArray !== undefined) return ARRAY;
    return this.#types ??= findTypes(this.#context, this.alternatives, this.#chosen, this.#extent);
  }

  /** Names of the properties under the keyword `properties`. */
  get propertyNames(): ReadonlySet<string> {
    return this.#propertyNames ??= new Set(this.schemas.flatMap(({ properties }) => [...properties?.keys() ?? []]));
  }

  get required(): ReadonlySet<string> {
    return this.#required ??= new Set(this.schemas.flatMap(({ required }) => required ?? []));
  }

  /**
   * Whether a schema describes properties that `properties` doesn't name: with `patternProperties`,
   * `additionalProperties` or `unevaluatedProperties`.
   */
  get describesOthers(): boolean {
    return this.schemas.some(({ patternProperties, additionalProperties, unevaluatedProperties }) =>
      patternProperties !== undefined || isPermissive(additionalProperties) || isPermissive(unevaluatedProperties)
    );
  }

  /** The number of items that `prefixItems` describes. */
  get positions(): number {
    return this.#positions ??= Math.max(0, ...this.schemas.map(({ prefixItems }) => prefixItems?.length ?? 0));
  }

  /**
   * Hints for each combination of branches of `oneOf`, `anyOf` and the like; empty where the schemas have no such
   * keywords.
   */
  get branches(): readonly Hints[] {
    return this.#branches ??= combinations(this.#context, this.alternatives, this.#chosen).map((chosen) =>
      hintsFor(this.#context, this.alternatives, this.#extent, chosen)
    );
  }

  property(name: string): Hints {
    const isNamed = this.propertyNames.has(name);
    const known = isNamed ? this.#properties.get(name) : this.#otherProperty;
    if (known !== undefined) return known;
    const { schemas, isCertain } = this.#schemasOfProperty(name);
    const hints = hintsFor(this.#context, schemas, isCertain ? this.#extentOfParts : "any");
    if (isNamed && isCertain) this.#properties.set(name, hints);
    // A request may have any number of undeclared names. To bound the memory, these names share one `Hints` object,
    // unless `patternProperties` distinguishes them.
    if (!isNamed && !this.#hasPatterns) this.#otherProperty = hints;
    return hints;
  }

  item(index: number): Hints {
    if (this.#itemOfArray !== undefined) return this.#itemOfArray;
    const position = Math.min(index, this.positions);
    let hints = this.#items.get(position);
    if (hints === undefined) this.#items.set(position, hints = this.#findItem(position));
    return hints;
  }

  /** Makes the hints for an array whose items have these hints. */
  ofArray(): Hints {
    const array = new Hints(this.#context, () => [], "all", NOTHING_CHOSEN);
    array.#itemOfArray = this;
    return array;
  }

  get #hasPatterns(): boolean {
    return this.schemas.some(({ patternProperties }) => patternProperties !== undefined);
  }

  /**
   * The extent of the hints for properties and items: `all` if the branches of each `oneOf` and the like are chosen,
   * since then each of the schemas applies; else `any`.
   */
  get #extentOfParts(): Extent {
    const isCertain = this.#extent === "all" || this.alternatives.length < 2;
    return this.#partExtent ??= isCertain && openChoice(this.#context, this.schemas, this.#chosen) === undefined
      ? "all"
      : "any";
  }

  #schemasOfProperty(name: string): { schemas: Schema[]; isCertain: boolean } {
    const { readPattern } = this.#context.patterns;
    const schemas: Schema[] = [];
    const possible: Schema[] = [];
    for (const { properties, patternProperties, additionalProperties } of this.schemas) {
      const declared = properties?.get(name);
      const matching: Schema[] = [];
      for (const [pattern, schema] of patternProperties ?? []) {
        if (readPattern === undefined) possible.push(schema);
        else if (readPattern(pattern)?.test(name) ?? true) matching.push(schema);
      }
      if (declared !== undefined) schemas.push(declared);
      schemas.push(...matching);
      if (declared === undefined && matching.length === 0 && additionalProperties !== undefined) {
        if (this.propertyNames.has(name)) continue;
        schemas.push(additionalProperties);
      }
    }
    if (this.propertyNames.has(name)) return { schemas, isCertain: possible.length === 0 };
    const others = [...possible, ...schemas];
    if (others.length > 0) return { schemas: others, isCertain: possible.length === 0 };
    return {
      schemas: this.schemas.flatMap(({ unevaluatedProperties }) => unevaluatedProperties ?? []),
      isCertain: true,
    };
  }

  #findItem(position: number): Hints {
    const positional = this.schemas.flatMap(({ prefixItems }) => prefixItems?.[position] ?? []);
    if (positional.length > 0) return hintsFor(this.#context, positional, this.#extentOfParts);
    const items = this.schemas.flatMap(({ items }) => items ?? []);
    const others = items.length > 0 ? items : this.schemas.flatMap(({ unevaluatedItems }) => unevaluatedItems ?? []);
    const hints = hintsFor(this.#context, others, this.#extentOfParts);
    if (others.length > 0 && hints.types.size > 0) return hints;
    const contained = this.schemas.flatMap(({ contains }) => contains ?? []);
    return contained.length === 0 ? hints : hintsFor(this.#context, [...others, ...contained], "any");
  }
}

const ARRAY: ReadonlySet<Type> = new Set(["array"]);

function hintsFor(context: Context, schemas: readonly Schema[], extent: Extent, chosen = NOTHING_CHOSEN): Hints {
  const key = `${extent} ${placeKey(context, schemas, chosen)}`;
  return context.known.of(key, () => new Hints(context, () => schemas, extent, chosen));
}

function isPermissive(schema: Schema | undefined): boolean {
  return schema !== undefined && schema.never === undefined;
}
