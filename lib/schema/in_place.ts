/**
 * Finds the schemas that apply to the same value: a schema and the schemas under its `$ref`, `allOf`, `oneOf` and so
 * on. A keyword such as `oneOf` is a choice between branches; the choice is open until a branch is chosen.
 *
 * @module
 */
import { isObject, type Node } from "./json/node.ts";
import type { Schema, SchemaReference } from "./schema.ts";
import { withinSteps } from "../regexp/steps.ts";

/** The branches chosen for each choice, by {@linkcode choiceKey}. A choice without an entry is open. */
export type ChosenSchema = ReadonlyMap<string, readonly Schema[]>;

export const NOTHING_CHOSEN: ChosenSchema = new Map();

/**
 * Keywords whose subschemas apply to the value itself, not to its properties or items (in-place applicators). Members
 * of `enum` and `const` are treated as subschemas.
 */
const IN_PLACE = ["references", "allOf", "anyOf", "oneOf", "enum", "const", "if", "dependentSchemas"] as const;
type InPlaceKeyword = (typeof IN_PLACE)[number];

/** Keywords that are a choice between branches: a value may be valid against some of the subschemas only. */
const CHOICES = ["anyOf", "oneOf", "enum", "if", "dependentSchemas"] as const satisfies readonly InPlaceKeyword[];

/**
 * Limits of the combinations of branches. Once there are `MOST_COMBINED` combinations, further choices stay open.
 * Combinations beyond `MOST_BRANCHES` are left out.
 */
const MOST_BRANCHES = 1_000;
const MOST_COMBINED = 100;
/**
 * Limit of the schemas in all combinations together. Two combinations are always allowed, however many schemas they
 * have.
 */
const MOST_COMBINED_SCHEMAS = 1_000;
/**
 * A cache: the schemas made for the values of `enum` and `const`, and numbers that identify schemas in keys of other
 * caches.
 */
export interface InPlaceContext {
  /** The schemas made for members of `enum` and for `const`. */
  readonly described: WeakMap<object, Schema>;
  readonly numbers: WeakMap<Schema, number>;
  count: number;
}

/** The target of a reference; `undefined` if there is none, or if reading the target takes too many steps. */
export function referenceTarget(reference: SchemaReference): Schema | undefined {
  return withinSteps(reference.target, () => undefined);
}

/**
 * The subschemas of a keyword that apply to the same value: the chosen ones if `chosen` has an entry for the keyword,
 * else all.
 */
export function under(
  context: InPlaceContext,
  schema: Schema,
  keyword: InPlaceKeyword,
  chosen: ChosenSchema,
): readonly Schema[] {
  const all = allUnder(context, schema, keyword);
  return all.length === 0 ? all : chosen.get(choiceKey(context, schema, keyword)) ?? all;
}

function allUnder(context: InPlaceContext, schema: Schema, keyword: InPlaceKeyword): readonly Schema[] {
  switch (keyword) {
    case "references":
      return schema.references?.flatMap((reference) => referenceTarget(reference) ?? []) ?? NONE;
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
 * Lists the given schemas and the schemas that they apply to the same value with `$ref`, `allOf`, `oneOf` and so on,
 * the outermost first.
 */
export function schemasInPlace(context: InPlaceContext, schemas: readonly Schema[], chosen: ChosenSchema): Schema[] {
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
 * Finds the first open choice. Returns a copy of `chosen` for each of its options; `undefined` where no choice is open.
 */
export function openChoice(
  context: InPlaceContext,
  schemas: readonly Schema[],
  chosen: ChosenSchema,
): readonly ChosenSchema[] | undefined {
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
      // Several branches of `anyOf` may hold together, so all of them are one option, and each branch is another.
      return members.length < 2 ? [] : [members, ...members.map((member) => [member])];
  }
}

/** Lists the combinations of branches for the open choices; empty where no choice is open. */
export function combinations(
  context: InPlaceContext,
  alternatives: readonly Schema[],
  chosen: ChosenSchema,
): ChosenSchema[] {
  let open = [chosen];
  const closed: ChosenSchema[] = [];
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

/** A cache key for a list of schemas with the branches chosen. */
export function placeKey(context: InPlaceContext, schemas: readonly Schema[], chosen: ChosenSchema): string {
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

/** Makes the schema of one value of `enum` or `const`, with subschemas for its properties and items. */
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
