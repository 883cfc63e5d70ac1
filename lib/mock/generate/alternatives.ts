import type { Schema } from "../../schema/schema.ts";
import { spend, type Steps } from "../../regexp/steps.ts";
import {
  type Alternative,
  type Choice,
  type ChoiceAlternatives,
  complete,
  discriminatorValues,
  isSamePlace,
  type KnownProperties,
  listOf,
  without,
} from "./choice.ts";
import { negationsOf } from "./negation.ts";

const COMPARISONS_PER_STEP = 16;

/**
 * Lists the alternatives of a choice (of a keyword such as `anyOf`). Those that give the most realistic values come
 * first.
 *
 * @param choice The choice.
 * @param known The property names that the schemas of the value mention.
 * @param steps The steps of work that are left.
 */
export function alternativesOf(choice: Choice, known: KnownProperties, steps: Steps): ChoiceAlternatives {
  const { schema } = choice;
  switch (choice.kind) {
    case "anyOf":
      return complete(subschemasOf(schema, schema.anyOf ?? [], steps));
    case "oneOf": {
      const subschemas = schema.oneOf ?? [];
      spend(steps, Math.floor(subschemas.length ** 2 / COMPARISONS_PER_STEP));
      return complete(
        subschemasOf(schema, subschemas, steps).flatMap((alternative, index): Alternative[] => [
          { ...alternative, isRedundant: true },
          { ...alternative, negate: subschemas.filter((_, other) => other !== index) },
        ]),
      );
    }
    case "if":
      return complete([
        { assert: [...listOf(schema.if), ...listOf(schema.then)] },
        { assert: listOf(schema.else), negate: listOf(schema.if) },
      ]);
    case "subtype":
      return complete(subtypesOf(schema));
    case "negated": {
      const { alternatives, isComplete } = negationsOf(schema, known, choice.enclosing ?? new Set(), steps);
      return { alternatives: isComplete ? alternatives : [...alternatives, { isRedundant: true }], isComplete };
    }
    case "dependent": {
      const { name, then } = choice;
      const present = { assert: [{ node: schema.node, required: [name] }, then] };
      const absent = { assert: [without(schema, name)] };
      return complete(known.names.has(name) ? [present, absent] : [absent, present]);
    }
  }
}

/**
 * One alternative for each subschema of `anyOf` or `oneOf`; a subschema with `type: null` comes last. If the schema has
 * a discriminator, an alternative also lists the values of its property that select the subschema.
 */
function subschemasOf(schema: Schema, subschemas: readonly Schema[], steps: Steps): Alternative[] {
  spend(steps, subschemas.length * (1 + (schema.discriminator?.mapping.size ?? 0)));
  const isNull = ({ types }: Schema): boolean => types?.length === 1 && types[0] === "null";
  const alternatives = subschemas.map((subschema): Alternative => {
    const preferred = preferredOf(schema, subschema);
    return preferred === undefined ? { assert: [subschema] } : { assert: [subschema], preferred };
  });
  const nulls = alternatives.filter((_, index) => isNull(subschemas[index] ?? schema));
  return [...alternatives.filter((alternative) => !nulls.includes(alternative)), ...nulls];
}

function preferredOf({ discriminator }: Schema, subschema: Schema): Alternative["preferred"] | undefined {
  if (discriminator === undefined) return undefined;
  const target = subschema.references?.[0]?.target();
  return target === undefined
    ? undefined
    : new Map([[discriminator.propertyName, discriminatorValues(discriminator, target)]]);
}

/**
 * The alternatives for a base schema with a discriminator: first the subtypes in the discriminator's `mapping`, then
 * the base schema alone.
 */
function subtypesOf(schema: Schema): Alternative[] {
  const { discriminator } = schema;
  if (discriminator === undefined) return [{}];
  const subtypes = [...discriminator.mapping].flatMap(([value, { target }]): Alternative[] => {
    const preferred = new Map([[discriminator.propertyName, [value]]]);
    const subtype = target();
    if (subtype === undefined) return [];
    return isSamePlace(subtype, schema)
      ? [{ preferred, isRedundant: true }]
      : [{ assert: [subtype], preferred, isRedundant: true }];
  });
  return [...subtypes, {
    preferred: new Map([[discriminator.propertyName, discriminatorValues(discriminator, schema)]]),
  }];
}
