/**
 * Finds the JSON Schema types (such as `string` and `object`) of the values that schemas allow. They follow from
 * `type`, `enum` and `const`, or else from keywords for one type, such as `properties`.
 *
 * @module
 */
import { choiceKey, type ChosenSchema, type InPlaceContext, under } from "./in_place.ts";
import { isObject } from "./json/node.ts";
import type { Schema, Type } from "./schema.ts";
import { type Steps, withinSteps } from "../regexp/steps.ts";

/**
 * Keywords that apply to values of one type. A schema without `type`, `enum` and `const` that has such a keyword is
 * assumed to mean that type.
 */
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

/**
 * Budget in steps of a `TypesContext`, one for each visit of a schema. When it is spent, a schema counts as allowing
 * any type.
 */
const MOST_STEPS = 200_000;
/** A cache of the types that schemas allow, with the budget for finding more. */
export interface TypesContext extends InPlaceContext {
  /**
   * The types that each schema allows, by the branches chosen (of `oneOf` and the like): `undefined` for any type.
   * Schemas in a reference cycle aren't memoised.
   */
  readonly types: WeakMap<ChosenSchema, Map<Schema, ReadonlySet<Type> | undefined>>;
  /** The steps that are left, and the number of reference cycles met so far. */
  readonly steps: Steps & { cycles: number };
}

export function createTypesContext(): TypesContext {
  return {
    types: new WeakMap(),
    steps: { left: MOST_STEPS, cycles: 0 },
    described: new WeakMap(),
    numbers: new WeakMap(),
    count: 0,
  };
}

/**
 * Finds the types that a value described by several schemas may have.
 *
 * @param extent `all` where each of the schemas describes the value: the types are an intersection; `any` where at
 * least one of the schemas does: the types are a union.
 * @returns The types; empty when any type is allowed, or when the budget in steps is spent.
 */
export function findTypes(
  context: TypesContext,
  schemas: readonly Schema[],
  chosen: ChosenSchema,
  extent: "all" | "any",
): ReadonlySet<Type> {
  const find = extent === "all" ? typesOfAll : typesOfAny;
  return withinSteps(() => find(context, schemas, chosen, new Set()), () => NO_TYPES);
}

/** Intersects the types that schemas allow; empty when any type is allowed. */
function typesOfAll(
  context: TypesContext,
  schemas: readonly Schema[],
  chosen: ChosenSchema,
  around: Set<Schema>,
): ReadonlySet<Type> {
  let types: ReadonlySet<Type> | undefined;
  for (const schema of schemas) types = intersect(types, typesOf(context, schema, chosen, around));
  return types ?? NO_TYPES;
}

const NO_TYPES: ReadonlySet<Type> = new Set();

/** Unites the types that schemas allow; empty when one of the schemas allows any type. */
function typesOfAny(
  context: TypesContext,
  schemas: readonly Schema[],
  chosen: ChosenSchema,
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

function typesOf(
  context: TypesContext,
  schema: Schema,
  chosen: ChosenSchema,
  around: Set<Schema>,
): ReadonlySet<Type> | undefined {
  const { steps } = context;
  if (!isObject(schema.node.value)) return undefined;
  let known = context.types.get(chosen);
  // A memoised result must not take a step: all requests share the budget, so they would spend it on repeated work.
  if (around.size === 0 && known?.has(schema)) return known.get(schema);
  if (--steps.left < 0) return undefined;
  if (around.has(schema)) {
    steps.cycles++;
    return undefined;
  }
  if (known === undefined) context.types.set(chosen, known = new Map());
  if (known.has(schema)) return known.get(schema);
  const { cycles } = steps;
  around.add(schema);
  const types = typesOfSchema(context, schema, chosen, around);
  around.delete(schema);
  // A result within a reference cycle depends on where the cycle was entered, so it isn't memoised.
  if (steps.cycles === cycles) known.set(schema, types);
  return types;
}

function typesOfSchema(
  context: TypesContext,
  schema: Schema,
  chosen: ChosenSchema,
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

/** The types that `if` with `then`, or `else`, allow; `undefined` when they allow any type. */
function typesOfCondition(
  context: TypesContext,
  schema: Schema,
  chosen: ChosenSchema,
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
  const both = new Set([...a].filter((type) => b.has(type)));
  // The intersection of `number` and `integer` is `integer`.
  if (a.has("number") && b.has("integer") || a.has("integer") && b.has("number")) both.add("integer");
  return both;
}
