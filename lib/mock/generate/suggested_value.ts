import { membership } from "../../schema/equal.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Built, Failure } from "./body.ts";
import { type Conjunction, schemasOf } from "./conjunction.ts";
import { suggestFaked } from "./faker.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { happens, hashWith } from "./random.ts";

/**
 * The values that the definition suggests, in the order in which they are tried: discriminator values, examples, values
 * of `x-faker`, defaults. In bodies of seeds other than 0, values of `x-faker` come before examples.
 */
export function suggestedValues(
  context: GeneratorContext,
  conjunction: Conjunction,
  path: ValuePath,
): readonly unknown[] {
  const schemas = schemasOf(conjunction);
  const examples = schemas.flatMap((schema) => schema.examples ?? []);
  const defaults = schemas.flatMap((schema) => schema.default === undefined ? [] : [schema.default.value]);
  const fakers = schemas.flatMap(({ extensions }) => extensions?.["x-faker"] ?? []);
  if (examples.length + defaults.length + fakers.length === 0) return path.preferred;
  const written = takesExample(context, path) ? [...examples, ...defaults] : [];
  const faked = fakers.flatMap((faker) => suggestFaked(faker, path));
  return [
    ...path.preferred,
    ...context.variation.isVaried ? [...faked, ...written] : [...examples, ...faked, ...written],
  ];
}

/**
 * Whether examples and defaults are tried: with seed 0, outside arrays and in the first item of an array; with other
 * seeds, at random.
 */
function takesExample({ variation }: GeneratorContext, path: ValuePath): boolean {
  return variation.isVaried ? happens(variation.example, hashWith(path.hash, "example")) : path.index === 0;
}

/** Decides at random whether null is tried before other values, if null is allowed. */
export function isNullFirst({ variation }: GeneratorContext, path: ValuePath): boolean {
  return happens(variation.null, hashWith(path.hash, "null"));
}

/**
 * The values that all `enum` and `const` of the schemas have in common; `undefined` if no schema has either keyword.
 */
export function listedValues(schemas: readonly Schema[]): readonly unknown[] | undefined {
  let values: readonly unknown[] | undefined;
  for (const schema of schemas) {
    for (const listed of [schema.enum, schema.const && [schema.const.value]]) {
      if (listed === undefined) continue;
      values = values?.filter(membership(listed)) ?? listed;
    }
  }
  return values;
}

/** Selects one of the values that `enum` or `const` lists, by the index of the array item and by the seed. */
export function pickListed(
  context: GeneratorContext,
  listed: readonly unknown[],
  schemas: readonly [Schema, ...Schema[]],
  isAllowed: (value: unknown) => boolean,
  path: ValuePath,
): Built | Failure {
  const start = path.index + (context.variation.isVaried ? path.hash % 97 : 0);
  const [others, nulls] = [listed.filter((value) => value !== null), listed.filter((value) => value === null)];
  for (const values of isNullFirst(context, path) ? [nulls, others] : [others, nulls]) {
    const first = start % Math.max(values.length, 1);
    // Shift the index instead of copying a rotated list: lists may be long, and mostly the first value is allowed.
    const steps = values.findIndex((_, index) => isAllowed(values[(first + index) % values.length]));
    if (steps !== -1) return { value: values[(first + steps) % values.length] };
  }
  const schema = schemas.find((member) => member.enum ?? member.const) ?? schemas[0];
  return { reason: "none of the listed values satisfies the rest of the schema", schema, proven: true };
}
