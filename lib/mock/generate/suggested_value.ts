import { membership } from "../../schema/json/equal.ts";
import type { Schema } from "../../schema/schema.ts";
import { isObject } from "../../schema/json/node.ts";
import type { Built, Failure } from "./body.ts";
import { type Conjunction, schemasOf } from "./conjunction.ts";
import { hasPartialExamples } from "./example.ts";
import { suggestFaked } from "./samples/faker.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { happens, hashWith } from "./random.ts";

/**
 * The values that the schemas suggest, in the order in which they are tried: examples, values of `x-faker`, defaults. In
 * bodies of seeds other than 0, values of `x-faker` come before examples. Left out are examples of objects that describe
 * a part of them: the builder of objects puts these together.
 */
export function suggestedValues(
  context: GeneratorContext,
  conjunction: Conjunction,
  path: ValuePath,
): readonly unknown[] {
  const schemas = schemasOf(conjunction);
  const written = examplesOf(schemas);
  const isPartial = written.some(isObject) && hasPartialExamples(conjunction);
  const examples = isPartial ? written.filter((example) => !isObject(example)) : written;
  // `default: null` says what a client may leave out. A value says more about an answer.
  const defaults = schemas.flatMap(({ default: given }) =>
    given === undefined || given.value === null ? [] : [given.value]
  );
  const fakers = schemas.flatMap(({ extensions }) => extensions?.["x-faker"] ?? []);
  if (examples.length + defaults.length + fakers.length === 0) return [];
  const tried = takesExample(context, path) ? [...examples, ...defaults] : [];
  const faked = fakers.flatMap((faker) => suggestFaked(faker, path));
  return context.variation.isVaried ? [...faked, ...tried] : [...examples, ...faked, ...tried];
}

/** The examples of schemas, in the order in which they are tried. */
export function examplesOf(schemas: readonly Schema[]): readonly unknown[] {
  return schemas.flatMap(({ examples }) => examples ?? []);
}

/** Whether examples of the schemas are tried, or parts of them if they aren't valid as a whole. */
export function usesExamples(context: GeneratorContext, path: ValuePath): boolean {
  return !context.variation.isVaried || takesExample(context, path);
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
  for (const { hasForeignEnum, types, node } of schemas) {
    if (hasForeignEnum !== true) continue;
    context.remarks.add(
      `No value of the enum at #${node.pointer} is of type ${types?.[0]}: it is taken as it is written.`,
    );
  }
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
