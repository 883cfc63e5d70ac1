import type { Schema, Type } from "../../schema/schema.ts";
import { spend, type Steps } from "../../regexp/steps.ts";
import {
  type Alternative,
  type ChoiceAlternatives,
  complete,
  type KnownProperties,
  listOf,
  without,
} from "./choice.ts";

/** The most pairs of subschemas of a `oneOf` that are tried. A value that satisfies two subschemas violates `oneOf`. */
const MOST_PAIRS = 10;
const UNLIKELY_NAMES = ["other", "more", "extra"];
const ALL_TYPES: readonly Type[] = ["null", "boolean", "number", "string", "array", "object"];

/**
 * Lists alternatives for a value that doesn't satisfy a schema. An alternative may also allow values that satisfy the
 * schema, so the caller must validate its value. Complete alternatives cover every value that doesn't satisfy the
 * schema.
 *
 * @param schema The schema to negate.
 * @param known The property names that the schemas of the value mention.
 * @param enclosing The chain of schemas whose negation led to negating this schema.
 * @param steps The steps of work that are left.
 */
export function negationsOf(
  schema: Schema,
  known: KnownProperties,
  enclosing: ReadonlySet<Schema>,
  steps: Steps,
): ChoiceAlternatives {
  spend(steps, 1 + enclosing.size);
  if (schema.never !== undefined) return complete([{}]);
  // A schema that requires itself of the same value, as through a `$ref` to itself, adds no constraint by that.
  // Negating it again gives no alternative.
  if (enclosing.has(schema)) return complete([]);
  const { missing, others, isComplete } = negatedObjects(schema, known);
  // A missing property looks more realistic than a property with an invalid value.
  const alternatives = [
    ...missing,
    ...negatedScalars(schema),
    ...negatedInPlace(schema),
    ...negatedArrays(schema),
    ...others,
    ...negatedTypes(schema),
  ];
  const inside = new Set([...enclosing, schema]);
  let isWhole = isComplete && !isOpenEnded(schema);
  spend(steps, alternatives.length);
  const leaves = alternatives.flatMap((alternative) => {
    const [negated, ...more] = alternative.negate ?? [];
    if (negated === undefined) return [alternative];
    if (more.length > 0 || alternative.assert !== undefined) return [{ ...alternative, enclosing: inside }];
    const negations = negationsOf(negated, known, inside, steps);
    isWhole &&= negations.isComplete;
    return negations.alternatives;
  });
  return { alternatives: leaves, isComplete: isWhole };
}

/** Whether a schema has keywords that can be violated in more ways than `negationsOf` lists. */
function isOpenEnded({ unevaluatedItems, unevaluatedProperties, propertyNames, oneOf }: Schema): boolean {
  return unevaluatedItems !== undefined || unevaluatedProperties !== undefined || propertyNames !== undefined ||
    (oneOf?.length ?? 0) > 4;
}

function negatedInPlace(schema: Schema): Alternative[] {
  const { node, references = [], allOf = [], anyOf, oneOf } = schema;
  const alternatives: Alternative[] = [];
  for (const { target } of references) alternatives.push({ negate: listOf(target() ?? { node }) });
  // Violate the last member of `allOf` first: mostly it is the schema's own part, after the base schemas that it
  // extends.
  for (const member of allOf.toReversed()) alternatives.push({ negate: [member] });
  if (anyOf !== undefined) alternatives.push({ negate: anyOf });
  if (oneOf !== undefined) alternatives.push({ negate: oneOf }, ...pairsOf(oneOf).map((assert) => ({ assert })));
  if (schema.not !== undefined) alternatives.push({ assert: [schema.not] });
  if (schema.if !== undefined) {
    if (schema.then !== undefined) alternatives.push({ assert: [schema.if], negate: [schema.then] });
    if (schema.else !== undefined) alternatives.push({ negate: [schema.if, schema.else] });
  }
  return alternatives;
}

function pairsOf(schemas: readonly Schema[]): Schema[][] {
  return schemas.flatMap((left, index) => schemas.slice(index + 1).map((right) => [left, right])).slice(0, MOST_PAIRS);
}

function negatedTypes({ node, types }: Schema): Alternative[] {
  if (types === undefined) return [];
  // For `type: integer`, the other types include `number`, which allows integers too. The caller validates the value.
  const others = ALL_TYPES.filter((type) => !types.includes(type));
  return others.length === 0 ? [] : [{ assert: [{ node, types: others }] }];
}

function negatedScalars(schema: Schema): Alternative[] {
  const { node, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength = 0, maxLength } = schema;
  const number = (bound: Partial<Schema>): Alternative => ({ assert: [{ node, types: ["number"], ...bound }] });
  const string = (bound: Partial<Schema>): Alternative => ({ assert: [{ node, types: ["string"], ...bound }] });
  const alternatives: Alternative[] = [];
  if (schema.enum !== undefined || schema.const !== undefined) alternatives.push({});
  if (minimum !== undefined) alternatives.push(number({ exclusiveMaximum: minimum }));
  if (maximum !== undefined) alternatives.push(number({ exclusiveMinimum: maximum }));
  if (exclusiveMinimum !== undefined) alternatives.push(number({ maximum: exclusiveMinimum }));
  if (exclusiveMaximum !== undefined) alternatives.push(number({ minimum: exclusiveMaximum }));
  if (schema.multipleOf !== undefined) alternatives.push(number({}));
  if (minLength > 0) alternatives.push(string({ maxLength: minLength - 1 }));
  if (maxLength !== undefined) alternatives.push(string({ minLength: maxLength + 1 }));
  if (schema.pattern !== undefined) alternatives.push(string({}));
  if (schema.format !== undefined) alternatives.push(string({}), number({}));
  return alternatives;
}

function negatedArrays(schema: Schema): Alternative[] {
  const { node, minItems = 0, maxItems, prefixItems = [], items, contains, minContains = 1, maxContains } = schema;
  const array = (bound: Partial<Schema>): Alternative => ({ assert: [{ node, types: ["array"], ...bound }] });
  const alternatives: Alternative[] = [];
  if (minItems > 0) alternatives.push(array({ maxItems: minItems - 1 }));
  if (maxItems !== undefined) alternatives.push(array({ minItems: maxItems + 1 }));
  if (schema.uniqueItems === true) {
    alternatives.push(array({ minItems: 2, items: { node, const: { value: 1 } } }), array({ minItems: 2 }));
  }
  prefixItems.forEach((item, index) => {
    const before = prefixItems.slice(0, index);
    alternatives.push(array({ minItems: index + 1, prefixItems: [...before, { node, not: item }] }));
    alternatives.push(array({ minItems: index + 1 }));
  });
  if (items !== undefined) {
    const wrong: Schema = { node, not: items };
    if (prefixItems.length === 0) alternatives.push(array({ minItems: 1, contains: wrong }));
    else alternatives.push(array({ minItems: prefixItems.length + 1, prefixItems, items: wrong }), array({}));
  }
  if (schema.unevaluatedItems !== undefined) alternatives.push(array({ minItems: prefixItems.length + 1 }));
  if (contains !== undefined) {
    if (minContains === 1) alternatives.push(array({ items: { node, not: contains } }));
    else if (minContains > 1) alternatives.push(array({ contains, maxContains: minContains - 1, minContains: 0 }));
    if (maxContains !== undefined) alternatives.push(array({ contains, minContains: maxContains + 1 }));
  }
  return alternatives;
}

function undeclaredName({ properties }: Schema, known: KnownProperties): string {
  return UNLIKELY_NAMES.find((name) => !properties?.has(name) && !known.names.has(name)) ?? "another";
}

function negatedObjects(
  schema: Schema,
  known: KnownProperties,
): { missing: Alternative[]; others: Alternative[]; isComplete: boolean } {
  const { node, required = [], properties = new Map(), patternProperties = new Map(), additionalProperties } = schema;
  const { minProperties = 0, maxProperties, dependentRequired = new Map() } = schema;
  const object = (bound: Partial<Schema>): Alternative => ({ assert: [{ node, types: ["object"], ...bound }] });
  const missing = required.map((name) => object(without(schema, name)));
  const alternatives: Alternative[] = [];
  for (const [name, property] of properties) {
    alternatives.push(object({ required: [name], properties: new Map([[name, { node, not: property }]]) }));
  }
  if (minProperties > 0) alternatives.push(object({ maxProperties: minProperties - 1 }));
  if (maxProperties !== undefined) alternatives.push(object({ minProperties: maxProperties + 1 }));
  for (const [name, needed] of dependentRequired) {
    for (const other of needed) {
      alternatives.push({ assert: [{ node, types: ["object"], required: [name] }, without(schema, other)] });
    }
  }
  if (additionalProperties !== undefined) {
    const wrong: Schema = { node, not: additionalProperties };
    const fresh = undeclaredName(schema, known);
    const names = [...known.names].filter((name) => !properties.has(name));
    for (const name of [...names, fresh]) {
      alternatives.push(object({ required: [name], properties: new Map([[name, wrong]]) }));
    }
  }
  const isComplete = patternProperties.size === 0 && (additionalProperties === undefined || known.areOthersAlike);
  for (const [pattern, property] of patternProperties) {
    const wrong = new Map([[pattern, { node, not: property }]]);
    alternatives.push(object({ minProperties: 1, propertyNames: { node, pattern }, patternProperties: wrong }));
  }
  if (schema.propertyNames !== undefined) {
    alternatives.push(object({ minProperties: 1, propertyNames: { node, not: schema.propertyNames } }));
  }
  for (const [name, then] of schema.dependentSchemas ?? []) {
    alternatives.push({ ...object({ required: [name] }), negate: [then] });
  }
  if (schema.unevaluatedProperties !== undefined) {
    alternatives.push(object({ required: [undeclaredName(schema, known)] }));
  }
  return { missing, others: alternatives, isComplete };
}
