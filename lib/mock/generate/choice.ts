import type { Schema, Type } from "../../schema/schema.ts";
import { spend, type Steps } from "../../schema/steps.ts";

/** Where a schema leaves more than one way to satisfy it, or not to. */
export type Choice =
  | { readonly kind: "anyOf" | "oneOf" | "if" | "subtype"; readonly schema: Schema }
  | {
    readonly kind: "denied";
    readonly schema: Schema;
    /** Schemas that are not satisfied only if this one isn't. */
    readonly around?: ReadonlySet<Schema>;
  }
  | { readonly kind: "dependent"; readonly schema: Schema; readonly name: string; readonly then: Schema };

/** One way through a choice. */
export interface Alternative {
  /** What holds besides. */
  readonly assert?: readonly Schema[];
  /** What does not hold, and the schemas that it makes not hold. */
  readonly deny?: readonly Schema[];
  readonly around?: ReadonlySet<Schema>;
  /** Values that properties should have. */
  readonly hints?: ReadonlyMap<string, readonly unknown[]>;
  /** Whether the other alternatives cover every value without this one, which is only tried because it is simple. */
  readonly isExtra?: boolean;
}

/** The ways through a choice. */
export interface Alternatives {
  readonly alternatives: readonly Alternative[];
  /** Whether they cover every value. */
  readonly isComplete: boolean;
}

/** What is known of the properties of an object that is being made. */
export interface KnownProperties {
  /** Names that are declared or required. */
  readonly names: ReadonlySet<string>;
  /** Whether other names are told apart, by `patternProperties` or `propertyNames`. */
  readonly areOthersAlike: boolean;
}

/** Schemas that are compared in a step of work. */
const COMPARED = 16;
/** Pairs of branches of one `oneOf` that are tried to break it. */
const MOST_PAIRS = 10;
/** Names that no definition is likely to declare. */
const FRESH_NAMES = ["other", "more", "extra"];
const ALL_TYPES: readonly Type[] = ["null", "boolean", "number", "string", "array", "object"];

/**
 * Lists the ways through a choice, those that make the best-looking value first.
 *
 * @param choice The choice.
 * @param known What is known of the properties, if it is an object that is being made.
 * @param steps Bounds the work.
 */
export function alternativesOf(choice: Choice, known: KnownProperties, steps: Steps): Alternatives {
  const { schema } = choice;
  switch (choice.kind) {
    case "anyOf":
      return complete(branchesOf(schema, schema.anyOf ?? [], steps));
    case "oneOf": {
      const branches = schema.oneOf ?? [];
      spend(steps, Math.floor(branches.length ** 2 / COMPARED));
      return complete(
        branchesOf(schema, branches, steps).flatMap((alternative, index): Alternative[] => [
          { ...alternative, isExtra: true },
          { ...alternative, deny: branches.filter((_, other) => other !== index) },
        ]),
      );
    }
    case "if":
      return complete([
        { assert: [...listOf(schema.if), ...listOf(schema.then)] },
        { assert: listOf(schema.else), deny: listOf(schema.if) },
      ]);
    case "subtype":
      return complete(subtypesOf(schema));
    case "denied": {
      const { alternatives, isComplete } = negationsOf(schema, known, choice.around ?? new Set(), steps);
      return { alternatives: isComplete ? alternatives : [...alternatives, { isExtra: true }], isComplete };
    }
    case "dependent": {
      const { name, then } = choice;
      const present = { assert: [{ node: schema.node, required: [name] }, then] };
      const absent = { assert: [without(schema, name)] };
      return complete(known.names.has(name) ? [present, absent] : [absent, present]);
    }
  }
}

function complete(alternatives: readonly Alternative[]): Alternatives {
  return { alternatives, isComplete: true };
}

function listOf(schema: Schema | undefined): Schema[] {
  return schema === undefined ? [] : [schema];
}

/** A schema of objects that don't have a property. */
function without({ node }: Schema, name: string): Schema {
  return { node, properties: new Map([[name, { node, never: "false" }]]) };
}

/** The branches of `anyOf` or `oneOf`, null last, with what a discriminator says of each. */
function branchesOf(schema: Schema, branches: readonly Schema[], steps: Steps): Alternative[] {
  spend(steps, branches.length * (1 + (schema.discriminator?.mapping.size ?? 0)));
  const isNull = ({ types }: Schema): boolean => types?.length === 1 && types[0] === "null";
  const alternatives = branches.map((branch): Alternative => {
    const hints = hintsOf(schema, branch);
    return hints === undefined ? { assert: [branch] } : { assert: [branch], hints };
  });
  const nulls = alternatives.filter((_, index) => isNull(branches[index] ?? schema));
  return [...alternatives.filter((alternative) => !nulls.includes(alternative)), ...nulls];
}

/** What the discriminator of a schema says of a branch of it. */
function hintsOf({ discriminator }: Schema, branch: Schema): Alternative["hints"] | undefined {
  if (discriminator === undefined) return undefined;
  const target = branch.references?.[0]?.target();
  return target === undefined
    ? undefined
    : new Map([[discriminator.propertyName, discriminatorValues(discriminator, target)]]);
}

/** The values by which a discriminator tells a schema: those that its mapping has for it, else the schema's name. */
export function discriminatorValues(discriminator: NonNullable<Schema["discriminator"]>, schema: Schema): string[] {
  const mapped = [...discriminator.mapping].filter(([, { target }]) => isSame(target(), schema));
  if (mapped.length > 0) return mapped.map(([value]) => value);
  const name = /\/([^/]*)$/.exec(schema.node.pointer)?.[1];
  return name === undefined ? [] : [name];
}

/** Tells whether two schemas stand at the same place. */
function isSame(left: Schema | undefined, right: Schema): boolean {
  return left?.node.pointer === right.node.pointer && left.node.source === right.node.source;
}

/** The schemas that a discriminator names for a schema that others extend, and at last the schema alone. */
function subtypesOf(schema: Schema): Alternative[] {
  const { discriminator } = schema;
  if (discriminator === undefined) return [{}];
  const subtypes = [...discriminator.mapping].flatMap(([value, { target }]): Alternative[] => {
    const hints = new Map([[discriminator.propertyName, [value]]]);
    const subtype = target();
    if (subtype === undefined) return [];
    return isSame(subtype, schema) ? [{ hints, isExtra: true }] : [{ assert: [subtype], hints, isExtra: true }];
  });
  return [...subtypes, { hints: new Map([[discriminator.propertyName, discriminatorValues(discriminator, schema)]]) }];
}

/**
 * Lists what a value may be that does not satisfy a schema. Each alternative may still hold values that do: whoever
 * makes one has to ask. Together they hold all that don't, if they are complete.
 */
function negationsOf(
  schema: Schema,
  known: KnownProperties,
  around: ReadonlySet<Schema>,
  steps: Steps,
): Alternatives {
  spend(steps, 1 + around.size);
  if (schema.never !== undefined) return complete([{}]);
  // A schema that refers to itself in place is satisfied by whatever satisfies the rest of it.
  if (around.has(schema)) return complete([]);
  const { missing, others, isComplete } = negatedObjects(schema, known);
  // A property that is missing looks better than one that is wrong.
  const alternatives = [
    ...missing,
    ...negatedScalars(schema),
    ...negatedInPlace(schema),
    ...negatedArrays(schema),
    ...others,
    ...negatedTypes(schema),
  ];
  const inside = new Set([...around, schema]);
  let isWhole = isComplete && !isOpenEnded(schema);
  spend(steps, alternatives.length);
  const leaves = alternatives.flatMap((alternative) => {
    const [denied, ...more] = alternative.deny ?? [];
    if (denied === undefined) return [alternative];
    if (more.length > 0 || alternative.assert !== undefined) return [{ ...alternative, around: inside }];
    const negations = negationsOf(denied, known, inside, steps);
    isWhole &&= negations.isComplete;
    return negations.alternatives;
  });
  return { alternatives: leaves, isComplete: isWhole };
}

/** Keywords whose negation isn't worked out in full. */
function isOpenEnded({ unevaluatedItems, unevaluatedProperties, propertyNames, oneOf }: Schema): boolean {
  return unevaluatedItems !== undefined || unevaluatedProperties !== undefined || propertyNames !== undefined ||
    (oneOf?.length ?? 0) > 4;
}

function negatedInPlace(schema: Schema): Alternative[] {
  const { node, references = [], allOf = [], anyOf, oneOf } = schema;
  const alternatives: Alternative[] = [];
  for (const { target } of references) alternatives.push({ deny: listOf(target() ?? { node }) });
  // What a schema adds to those that it extends comes last, and is what tells it from others.
  for (const member of allOf.toReversed()) alternatives.push({ deny: [member] });
  if (anyOf !== undefined) alternatives.push({ deny: anyOf });
  if (oneOf !== undefined) alternatives.push({ deny: oneOf }, ...pairsOf(oneOf).map((assert) => ({ assert })));
  if (schema.not !== undefined) alternatives.push({ assert: [schema.not] });
  if (schema.if !== undefined) {
    if (schema.then !== undefined) alternatives.push({ assert: [schema.if], deny: [schema.then] });
    if (schema.else !== undefined) alternatives.push({ deny: [schema.if, schema.else] });
  }
  return alternatives;
}

function pairsOf(schemas: readonly Schema[]): Schema[][] {
  return schemas.flatMap((left, index) => schemas.slice(index + 1).map((right) => [left, right])).slice(0, MOST_PAIRS);
}

function negatedTypes({ node, types }: Schema): Alternative[] {
  if (types === undefined) return [];
  // A number with a fraction is no integer: what is left of the numbers is told apart by whoever asks.
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

/** A name that nothing is said of. */
function freshName({ properties }: Schema, known: KnownProperties): string {
  return FRESH_NAMES.find((name) => !properties?.has(name) && !known.names.has(name)) ?? "another";
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
    const fresh = freshName(schema, known);
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
    alternatives.push({ ...object({ required: [name] }), deny: [then] });
  }
  if (schema.unevaluatedProperties !== undefined) alternatives.push(object({ required: [freshName(schema, known)] }));
  return { missing, others: alternatives, isComplete };
}
