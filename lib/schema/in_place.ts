/**
 * Finds the schemas that apply to the same value: a schema and those under its `$ref`, `allOf`, `oneOf` and so on.
 * Which branch of a `oneOf`, say, applies is a choice; it is open until a branch is chosen.
 *
 * @module
 */
import { isObject, type Node } from "./node.ts";
import type { Schema, SchemaReference } from "./schema.ts";
import { withinSteps } from "./steps.ts";

/** The branches that are chosen, by {@linkcode choiceKey}. A choice without an entry is open. */
export type Chosen = ReadonlyMap<string, readonly Schema[]>;

export const NOTHING_CHOSEN: Chosen = new Map();

/** Keywords whose schemas describe the value itself. */
const IN_PLACE = ["references", "allOf", "anyOf", "oneOf", "enum", "const", "if", "dependentSchemas"] as const;
type InPlaceKeyword = (typeof IN_PLACE)[number];

/** Keywords that are choices: not all of their schemas need to hold. */
const CHOICES = ["anyOf", "oneOf", "enum", "if", "dependentSchemas"] as const satisfies readonly InPlaceKeyword[];

/**
 * Limits of the combinations of branches. Choices are decided while there are fewer than `MOST_COMBINED`; the others
 * stay open. Combinations beyond `MOST_BRANCHES` are left out.
 */
const MOST_BRANCHES = 1_000;
const MOST_COMBINED = 100;
/** The most schemas in all combinations together; but two combinations are allowed, however many schemas they have. */
const MOST_COMBINED_SCHEMAS = 1_000;
/** Caches: numbers that identify schemas in keys, and schemas made for the values of `enum` and `const`. */
export interface InPlaceContext {
  /** Schemas of members of `enum`, and of `const`. */
  readonly described: WeakMap<object, Schema>;
  readonly numbers: WeakMap<Schema, number>;
  count: number;
}

/** The target of a reference; `undefined` if there is none, or if the schemas take too many steps to read. */
export function targetOf(reference: SchemaReference): Schema | undefined {
  return withinSteps(reference.target, () => undefined);
}

/**
 * The schemas under a keyword that describe the same value: only those in `chosen`, if it has an entry for the keyword.
 */
export function under(
  context: InPlaceContext,
  schema: Schema,
  keyword: InPlaceKeyword,
  chosen: Chosen,
): readonly Schema[] {
  const all = allUnder(context, schema, keyword);
  return all.length === 0 ? all : chosen.get(choiceKey(context, schema, keyword)) ?? all;
}

function allUnder(context: InPlaceContext, schema: Schema, keyword: InPlaceKeyword): readonly Schema[] {
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

/**
 * The given schemas, and those that they apply to the same value with `$ref`, `allOf`, `oneOf` and so on; the nearest
 * first.
 */
export function schemasInPlace(context: InPlaceContext, schemas: readonly Schema[], chosen: Chosen): Schema[] {
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

/**
 * Finds the first open choice. Returns each way to decide it, added to `chosen`; `undefined` where no choice is open.
 */
export function openChoice(
  context: InPlaceContext,
  schemas: readonly Schema[],
  chosen: Chosen,
): readonly Chosen[] | undefined {
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
  context: InPlaceContext,
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
      // All members together, or one of them: several may hold at the same time.
      return members.length < 2 ? [] : [members, ...members.map((member) => [member])];
  }
}

/** All combinations of decisions for the open choices; empty where there is no choice. */
export function combinations(context: InPlaceContext, alternatives: readonly Schema[], chosen: Chosen): Chosen[] {
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

/** A key that identifies a list of schemas and the branches chosen. */
export function keyOf(context: InPlaceContext, schemas: readonly Schema[], chosen: Chosen): string {
  const numbers = schemas.map((schema) => numberOf(context, schema)).join();
  if (chosen.size === 0) return numbers;
  const choices = [...chosen].map(([key, members]) =>
    `${key}=${members.map((member) => numberOf(context, member)).join()}`
  );
  return [numbers, ...choices.sort()].join(" ");
}

export function choiceKey(context: InPlaceContext, schema: Schema, keyword: InPlaceKeyword): string {
  return `${numberOf(context, schema)}${keyword}`;
}

function numberOf(context: InPlaceContext, schema: Schema): number {
  let number = context.numbers.get(schema);
  if (number === undefined) context.numbers.set(schema, number = ++context.count);
  return number;
}

function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Makes a schema for one value of `enum` or `const`, with subschemas for the value's properties and items. */
function describe(context: InPlaceContext, value: unknown, around: Node): Schema {
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
