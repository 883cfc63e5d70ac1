import type { ReadPattern } from "../regexp/pattern.ts";
import type { SchemaDocument } from "./dialect.ts";
import { isObject, type Node } from "./node.ts";
import { createSchemaReader } from "./schema_reader.ts";
import type { Direction, Schema, SchemaReference, Type } from "./schema.ts";
import { type Steps, withinSteps } from "./steps.ts";

/** Gives the reader of patterns, as soon as one is loaded. */
export interface PatternSource {
  readonly readPattern: ReadPattern | undefined;
}

/**
 * Reads a schema for {@linkcode Hints}, when they are first asked. Properties that the direction doesn't have are
 * described as their schema says, so that their values can be read.
 *
 * @param schema The schema; without one, the hints say nothing.
 * @param patterns Tells which `patternProperties` a name has. While there is no reader, any of them may be meant.
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
  return new Hints(createContext(patterns), read, "all", NOTHING_CHOSEN);
}

/** The hints about an array whose items all have the same hints. */
export function arrayHints(item: Hints): Hints {
  return item.ofArray();
}

const NO_PATTERNS: PatternSource = { readPattern: undefined };

/** Whether each of several schemas describes a value, or at least one of them. */
type Extent = "all" | "any";

/** The schemas that are chosen, for each choice; a choice that is missing here is open. */
type Chosen = ReadonlyMap<string, readonly Schema[]>;

const NOTHING_CHOSEN: Chosen = new Map();

/** Keywords whose schemas describe the value itself. */
const IN_PLACE = ["references", "allOf", "anyOf", "oneOf", "enum", "const", "if", "dependentSchemas"] as const;
type InPlaceKeyword = (typeof IN_PLACE)[number];

/** Keywords of which only some schemas hold. */
const CHOICES = ["anyOf", "oneOf", "enum", "if", "dependentSchemas"] as const satisfies readonly InPlaceKeyword[];

/** The type of the values that a schema with one of these keywords is about, where it has no `type`. */
const TYPE_OF_KEYWORD = {
  properties: "object",
  additionalProperties: "object",
  patternProperties: "object",
  unevaluatedProperties: "object",
  items: "array",
  prefixItems: "array",
  unevaluatedItems: "array",
  contains: "array",
} as const satisfies { readonly [Keyword in keyof Schema]?: Type };

/** Combinations of branches that are told apart; beyond as many, choices that are still open are left open. */
const MOST_BRANCHES = 1_000;
const MOST_COMBINED = 100;
/** Schemas in all combinations together, unless there are but a few combinations. */
const MOST_COMBINED_SCHEMAS = 1_000;
/** Schemas that are asked for their types, all together: beyond as many, any type is allowed. */
const MOST_STEPS = 200_000;
/** Hints that are remembered at a time. */
const MOST_KNOWN = 20_000;

/** State that all hints of one schema share: equal lists of schemas have one `Hints`. */
interface Context {
  readonly patterns: PatternSource;
  readonly known: Map<string, Hints>;
  /** The types that schemas allow, by the schemas chosen; of those outside of reference cycles. */
  readonly types: Map<Chosen, Map<Schema, ReadonlySet<Type> | undefined>>;
  /** Steps that are left, and how often a schema was met inside itself. */
  readonly steps: Steps & { cycles: number };
  /** Schemas of members of `enum`, and of `const`. */
  readonly described: WeakMap<object, Schema>;
  readonly numbers: WeakMap<Schema, number>;
  count: number;
}

function createContext(patterns: PatternSource): Context {
  return {
    patterns,
    known: new Map(),
    types: new Map(),
    steps: { left: MOST_STEPS, cycles: 0 },
    described: new WeakMap(),
    numbers: new WeakMap(),
    count: 0,
  };
}

/**
 * A view of a schema for readers of text, which has no types: `3` in a query is a number where the schema wants an
 * integer. Hints aren't certain: the validator has the last word.
 *
 * All parts are found when they are first asked for, so that a recursive schema is no infinite one.
 */
export class Hints {
  readonly #context: Context;
  readonly #read: () => readonly Schema[];
  readonly #extent: Extent;
  readonly #chosen: Chosen;
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

  constructor(context: Context, read: () => readonly Schema[], extent: Extent, chosen: Chosen) {
    this.#context = context;
    this.#read = read;
    this.#extent = extent;
    this.#chosen = chosen;
  }

  /** The schemas that were asked about: each describes the value, or at least one does. */
  get alternatives(): readonly Schema[] {
    return this.#alternatives ??= this.#read();
  }

  /** The alternatives, the schemas that they refer to and all that they are combined of; the nearest first. */
  get schemas(): readonly Schema[] {
    return this.#schemas ??= schemasInPlace(this.#context, this.alternatives, this.#chosen);
  }

  /** The types that the value may have; empty when it may have any, or when the schema can't be understood. */
  get types(): ReadonlySet<Type> {
    if (this.#itemOfArray !== undefined) return ARRAY;
    const find = this.#extent === "all" ? typesOfAll : typesOfAny;
    return this.#types ??= withinSteps(
      () => find(this.#context, this.alternatives, this.#chosen, new Set()),
      () => NO_TYPES,
    );
  }

  /** Names of the properties that `properties` describe. */
  get propertyNames(): ReadonlySet<string> {
    return this.#propertyNames ??= new Set(this.schemas.flatMap(({ properties }) => [...properties?.keys() ?? []]));
  }

  /** Names of the properties that at least one of the schemas requires. */
  get required(): ReadonlySet<string> {
    return this.#required ??= new Set(this.schemas.flatMap(({ required }) => required ?? []));
  }

  /** Whether the schemas describe properties besides those that they name. */
  get describesOthers(): boolean {
    return this.schemas.some(({ patternProperties, additionalProperties, unevaluatedProperties }) =>
      patternProperties !== undefined || isPermissive(additionalProperties) || isPermissive(unevaluatedProperties)
    );
  }

  /** How many items are described by their position. */
  get positions(): number {
    return this.#positions ??= Math.max(0, ...this.schemas.map(({ prefixItems }) => prefixItems?.length ?? 0));
  }

  /** The same with one branch taken of each choice that the schemas leave; none where they leave no choice. */
  get branches(): readonly Hints[] {
    return this.#branches ??= combinations(this.#context, this.alternatives, this.#chosen).map((chosen) =>
      hintsFor(this.#context, this.alternatives, this.#extent, chosen)
    );
  }

  /** The hints about a property's value. */
  property(name: string): Hints {
    const isNamed = this.propertyNames.has(name);
    const known = isNamed ? this.#properties.get(name) : this.#otherProperty;
    if (known !== undefined) return known;
    const { schemas, isCertain } = this.#schemasOfProperty(name);
    const hints = hintsFor(this.#context, schemas, isCertain ? this.#extentOfParts : "any");
    if (isNamed && isCertain) this.#properties.set(name, hints);
    // Other names come from requests, in any number: they have hints in common unless a pattern tells them apart.
    if (!isNamed && !this.#hasPatterns) this.#otherProperty = hints;
    return hints;
  }

  /** The hints about an array's item. */
  item(index: number): Hints {
    if (this.#itemOfArray !== undefined) return this.#itemOfArray;
    const position = Math.min(index, this.positions);
    let hints = this.#items.get(position);
    if (hints === undefined) this.#items.set(position, hints = this.#findItem(position));
    return hints;
  }

  /** The hints about an array with these hints about each item. */
  ofArray(): Hints {
    const array = new Hints(this.#context, () => [], "all", NOTHING_CHOSEN);
    array.#itemOfArray = this;
    return array;
  }

  get #hasPatterns(): boolean {
    return this.schemas.some(({ patternProperties }) => patternProperties !== undefined);
  }

  /** Where no choice is open, each schema of a part of the value counts. */
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
  const key = `${extent} ${keyOf(context, schemas, chosen)}`;
  let hints = context.known.get(key);
  if (hints === undefined) {
    if (context.known.size >= MOST_KNOWN) context.known.clear();
    context.known.set(key, hints = new Hints(context, () => schemas, extent, chosen));
  }
  return hints;
}

function isPermissive(schema: Schema | undefined): boolean {
  return schema !== undefined && schema.never === undefined;
}

/** The target of a reference; none for a document whose schemas take too much work to read. */
export function targetOf(reference: SchemaReference): Schema | undefined {
  return withinSteps(reference.target, () => undefined);
}

/** The schemas under a keyword that describe the same value, or those of them that are chosen. */
function under(context: Context, schema: Schema, keyword: InPlaceKeyword, chosen: Chosen): readonly Schema[] {
  const all = allUnder(context, schema, keyword);
  return all.length === 0 ? all : chosen.get(choiceKey(context, schema, keyword)) ?? all;
}

function allUnder(context: Context, schema: Schema, keyword: InPlaceKeyword): readonly Schema[] {
  switch (keyword) {
    case "references":
      return schema.references?.flatMap((reference) => targetOf(reference) ?? []) ?? NONE;
    case "if":
      return [schema.if, schema.then, schema.else].filter((member) => member !== undefined);
    case "dependentSchemas":
      return schema.dependentSchemas === undefined ? NONE : [...schema.dependentSchemas.values()];
    case "enum":
      return schema.enum?.some(isCompound) ? schema.enum.map((value) => describe(context, value, schema.node)) : NONE;
    case "const":
      return isCompound(schema.const?.value) ? [describe(context, schema.const?.value, schema.node)] : NONE;
    default:
      return schema[keyword] ?? NONE;
  }
}

const NONE: readonly Schema[] = [];

/** Schemas, the schemas that they refer to and all that they are combined of; the nearest first. */
function schemasInPlace(context: Context, schemas: readonly Schema[], chosen: Chosen): Schema[] {
  const found = new Set<Schema>();
  const open = [...schemas].reverse();
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isObject(schema.node.value) || found.has(schema)) continue;
    found.add(schema);
    const parts = IN_PLACE.flatMap((keyword) => schema === undefined ? [] : under(context, schema, keyword, chosen));
    open.push(...parts.reverse());
  }
  return [...found];
}

/** The first choice that schemas leave open: the ways to choose. */
function openChoice(context: Context, schemas: readonly Schema[], chosen: Chosen): readonly Chosen[] | undefined {
  for (const schema of schemas) {
    for (const keyword of CHOICES) {
      if (schema[keyword] === undefined) continue;
      const key = choiceKey(context, schema, keyword);
      const options = chosen.has(key) ? [] : optionsOf(context, schema, keyword);
      if (options.length > 1) return options.map((option) => new Map([...chosen, [key, option]]));
    }
  }
  return undefined;
}

function optionsOf(
  context: Context,
  schema: Schema,
  keyword: (typeof CHOICES)[number],
): (readonly Schema[])[] {
  const members = allUnder(context, schema, keyword);
  switch (keyword) {
    case "if":
      return members.length < 2
        ? []
        : [members.filter((member) => member !== schema.else), members.filter((member) => member === schema.else)];
    case "oneOf":
      return members.map((member) => [member]);
    case "dependentSchemas":
      return [members, ...(members.length > 1 ? members.map((member) => [member]) : []), []];
    default:
      // Several may hold at the same time.
      return members.length < 2 ? [] : [members, ...members.map((member) => [member])];
  }
}

/** The ways to choose one branch wherever schemas leave a choice; none where they leave none. */
function combinations(context: Context, alternatives: readonly Schema[], chosen: Chosen): Chosen[] {
  let open = [chosen];
  const closed: Chosen[] = [];
  const size = schemasInPlace(context, alternatives, chosen).length;
  const most = Math.min(MOST_COMBINED, Math.max(2, Math.floor(MOST_COMBINED_SCHEMAS / size)));
  while (open.length > 0 && open.length + closed.length < most) {
    open = open.flatMap((chosen) => {
      const options = openChoice(context, schemasInPlace(context, alternatives, chosen), chosen);
      if (options === undefined) closed.push(chosen);
      return options ?? [];
    });
  }
  const all = [...closed, ...open].slice(0, MOST_BRANCHES);
  return all.length === 1 ? [] : all;
}

/** Tells lists of schemas apart, with the schemas chosen. */
function keyOf(context: Context, schemas: readonly Schema[], chosen: Chosen): string {
  const numbers = schemas.map((schema) => numberOf(context, schema)).join();
  if (chosen.size === 0) return numbers;
  const choices = [...chosen].map(([key, members]) =>
    `${key}=${members.map((member) => numberOf(context, member)).join()}`
  );
  return [numbers, ...choices.sort()].join(" ");
}

function choiceKey(context: Context, schema: Schema, keyword: InPlaceKeyword): string {
  return `${numberOf(context, schema)}${keyword}`;
}

function numberOf(context: Context, schema: Schema): number {
  let number = context.numbers.get(schema);
  if (number === undefined) context.numbers.set(schema, number = ++context.count);
  return number;
}

function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The schema of only one value, a member of `enum` or `const`. */
function describe(context: Context, value: unknown, around: Node): Schema {
  const known = isCompound(value) ? context.described.get(value) : undefined;
  if (known !== undefined) return known;
  const node = { ...around, value: { const: value } };
  const part = (member: unknown): Schema => describe(context, member, around);
  let schema: Schema = { node, const: { value } };
  if (Array.isArray(value)) {
    schema = { node, types: ["array"], prefixItems: value.map(part), minItems: value.length, maxItems: value.length };
  } else if (isObject(value)) {
    const properties = new Map(Object.entries(value).map(([name, member]) => [name, part(member)]));
    schema = { node, types: ["object"], properties, required: Object.keys(value) };
  }
  if (isCompound(value)) context.described.set(value, schema);
  return schema;
}

/** The types that each of the schemas allows. */
function typesOfAll(
  context: Context,
  schemas: readonly Schema[],
  chosen: Chosen,
  around: Set<Schema>,
): ReadonlySet<Type> {
  let types: ReadonlySet<Type> | undefined;
  for (const schema of schemas) types = intersect(types, typesOf(context, schema, chosen, around));
  return types ?? NO_TYPES;
}

const NO_TYPES: ReadonlySet<Type> = new Set();

/** The types that at least one of the schemas allows; empty when one of them allows any. */
function typesOfAny(
  context: Context,
  schemas: readonly Schema[],
  chosen: Chosen,
  around: Set<Schema>,
): ReadonlySet<Type> {
  const union = new Set<Type>();
  for (const schema of schemas) {
    const types = typesOf(context, schema, chosen, around);
    if (types === undefined) return NO_TYPES;
    for (const type of types) union.add(type);
  }
  return union;
}

/** The types that a schema allows; `undefined` when it allows any. */
function typesOf(
  context: Context,
  schema: Schema,
  chosen: Chosen,
  around: Set<Schema>,
): ReadonlySet<Type> | undefined {
  const { steps } = context;
  if (!isObject(schema.node.value) || --steps.left < 0) return undefined;
  if (around.has(schema)) {
    steps.cycles++;
    return undefined;
  }
  let known = context.types.get(chosen);
  if (known === undefined) context.types.set(chosen, known = new Map());
  if (known.has(schema)) return known.get(schema);
  const { cycles } = steps;
  around.add(schema);
  const types = findTypes(context, schema, chosen, around);
  around.delete(schema);
  // Results within a cycle of references depend on where the cycle was entered, so they are not memoised.
  if (steps.cycles === cycles) known.set(schema, types);
  return types;
}

function findTypes(
  context: Context,
  schema: Schema,
  chosen: Chosen,
  around: Set<Schema>,
): ReadonlySet<Type> | undefined {
  let types: ReadonlySet<Type> | undefined = schema.types && new Set(schema.types);
  types ??= typesOfValues(schema);
  for (const keyword of ["references", "allOf"] as const) {
    for (const member of under(context, schema, keyword, chosen)) {
      types = intersect(types, typesOf(context, member, chosen, around));
    }
  }
  for (const keyword of ["anyOf", "oneOf", "enum"] as const) {
    const union = typesOfAny(context, under(context, schema, keyword, chosen), chosen, around);
    if (union.size > 0) types = intersect(types, union);
  }
  return intersect(types, typesOfCondition(context, schema, chosen, around)) ?? typesOfKeywords(schema);
}

/** The types that `if` with `then`, or `else`, allow. */
function typesOfCondition(
  context: Context,
  schema: Schema,
  chosen: Chosen,
  around: Set<Schema>,
): ReadonlySet<Type> | undefined {
  if (schema.if === undefined) return undefined;
  const members = under(context, schema, "if", chosen);
  const then = members.filter((member) => member !== schema.else);
  const otherwise = members.filter((member) => member === schema.else);
  const types = [then, otherwise].filter((side) => side.length > 0 || members.length === 0)
    .map((side) => typesOfAll(context, side, chosen, around));
  const isOpen = !chosen.has(choiceKey(context, schema, "if")) && otherwise.length === 0;
  return isOpen || types.some(({ size }) => size === 0) ? undefined : union(types);
}

function union(sets: readonly ReadonlySet<Type>[]): ReadonlySet<Type> {
  return new Set(sets.flatMap((types) => [...types]));
}

function typesOfValues(schema: Schema): Set<Type> | undefined {
  const values = schema.const === undefined ? schema.enum : [schema.const.value];
  return values && new Set(values.map(typeOfValue));
}

function typeOfValue(value: unknown): Type {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return "object";
  }
}

function typesOfKeywords(schema: Schema): Set<Type> | undefined {
  const types = Object.entries(TYPE_OF_KEYWORD).filter(([keyword]) => Object.hasOwn(schema, keyword))
    .map(([, type]) => type);
  return types.length === 0 ? undefined : new Set(types);
}

function intersect(
  a: ReadonlySet<Type> | undefined,
  b: ReadonlySet<Type> | undefined,
): ReadonlySet<Type> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const both = a.intersection(b);
  // A number may well be an integer.
  if (a.has("number") && b.has("integer") || a.has("integer") && b.has("number")) both.add("integer");
  return both;
}
