import type { Schema, Type } from "../../schema/schema.ts";
import { buildArray } from "./array.ts";
import { type Built, type Failure, isFailure } from "./body.ts";
import { type Conjunction, schemasOf } from "./conjunction.ts";
import { fileTextOf } from "./samples/file_text.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { buildJsonText, jsonTextOf } from "./samples/json_text.ts";
import { buildNumber, numberConstraintsOf } from "./number.ts";
import { buildObject } from "./object.ts";
import { happens, hashWith } from "./random.ts";
import { suggestBoolean, suggestNumber } from "./samples/realistic.ts";
import { isNullFirst, listedValues, pickListed } from "./suggested_value.ts";
import { buildText, contradictionInText, suggestText, textConstraintsOf } from "./text.ts";
import { allowedTypes, constrainingSchema, isDescribed, likelyTypes } from "./type.ts";

type Accepts = (value: unknown) => boolean;

/**
 * Builds a value that satisfies a conjunction (schemas merged as by `allOf`). If `enum` or `const` lists values, the
 * result is one of them. Otherwise the types are tried in turn, the likeliest first.
 *
 * @param accepts Tells whether a value is valid against the original schemas, from which the conjunction was derived by
 * choosing alternatives (of `oneOf`, for example).
 */
export function buildConjunction(
  context: GeneratorContext,
  conjunction: Conjunction,
  accepts: Accepts,
  path: ValuePath,
): Built | Failure {
  const schemas = schemasOf(conjunction);
  const isAllowed: Accepts = (value) =>
    accepts(value) && !conjunction.negated.some((schema) => context.isValid(value, schema));
  const listed = listedValues(schemas);
  if (listed !== undefined) return pickListed(context, listed, schemas, isAllowed, path);
  let failure: Failure | undefined;
  let isProven = true;
  for (const type of typesOf(context, schemas, path)) {
    const built = buildType({ context, conjunction, schemas, type, isAllowed, path });
    // If the budget is exhausted, return the failure at once: the caller generates the whole body again with smaller
    // limits. Trying the next type, such as null, would hide the failure.
    if (!isFailure(built) || context.budget.exhausted !== undefined) return built;
    failure ??= built;
    isProven &&= built.proven;
  }
  failure ??= { reason: "no type is allowed", schema: schemas[0], proven: true };
  return { ...failure, proven: isProven && failure.proven };
}

function typesOf(context: GeneratorContext, schemas: readonly Schema[], path: ValuePath): readonly Type[] {
  const types = allowedTypes(schemas);
  if (types === undefined) return likelyTypes(schemas);
  const described = types.filter((type) => isDescribed(type, schemas));
  // A schema with `type: [string, object]` that describes no properties seldom means objects: try undescribed arrays
  // and objects last.
  const plain = described.some((type) => type !== "null") ? described : types;
  const rest = types.filter((type) => !plain.includes(type));
  return [...startingAnywhere(context, plain, path), ...rest];
}

/**
 * The order in which types are tried. Bodies of seeds other than 0 begin with a random type. Null comes last; with a
 * low probability, it comes first.
 */
function startingAnywhere(context: GeneratorContext, types: readonly Type[], path: ValuePath): readonly Type[] {
  const others = types.filter((type) => type !== "null");
  if (others.length === types.length && types.length === 1) return types;
  const start = context.variation.isVaried ? hashWith(path.hash, "type") % Math.max(others.length, 1) : 0;
  const rotated = [...others.slice(start), ...others.slice(0, start)];
  if (others.length === types.length) return rotated;
  return isNullFirst(context, path) ? ["null", ...rotated] : [...rotated, "null"];
}

interface Task {
  readonly context: GeneratorContext;
  readonly conjunction: Conjunction;
  readonly schemas: readonly [Schema, ...Schema[]];
  readonly type: Type;
  readonly isAllowed: Accepts;
  readonly path: ValuePath;
}

function buildType(task: Task): Built | Failure {
  const { context, conjunction, type, path } = task;
  switch (type) {
    case "null":
      return pick(task, [null]);
    case "boolean":
      return pick(task, startsWithFalse(context, path) ? [false, true] : [true, false]);
    case "integer":
    case "number":
      return buildNumericValue(task);
    case "string":
      return buildString(task);
    case "array":
      return checked(task, buildArray(context, conjunction, partPath(task, { arrays: path.arrays + 1 })));
    case "object": {
      const inside = partPath(task, { group: path.hash, owner: ownerOf(task) });
      return checked(task, buildObject(context, conjunction, inside));
    }
  }
}

function pick(task: Task, values: readonly unknown[]): Built | Failure {
  const value = values.find(task.isAllowed);
  return value === undefined
    ? failureOf(task, `no value of type ${task.type} satisfies the rest of the schema`, true)
    : { value };
}

function startsWithFalse({ variation }: GeneratorContext, path: ValuePath): boolean {
  return variation.isVaried ? happens(0.5, path.hash) : !suggestBoolean(path);
}

function buildNumericValue(task: Task): Built | Failure {
  const { schemas, type, isAllowed, path } = task;
  const constraints = numberConstraintsOf(schemas, type === "integer");
  const value = buildNumber(constraints, suggestNumber(path), path.hash, isAllowed);
  if (value === "none") return failureOf(task, "no number is within the bounds", true);
  return value === undefined ? failureOf(task, "no number was found that satisfies the schema", false) : { value };
}

function buildString(task: Task): Built | Failure {
  const { context, schemas, isAllowed, path } = task;
  const json = jsonTextOf(schemas);
  if (json !== undefined) {
    const strings = { strings: schemas, accepts: isAllowed };
    const built = buildJsonText(context, json, strings, partPath(task, { group: path.hash, preferred: [] }));
    if (!isFailure(built) || json.isRequired || context.budget.exhausted !== undefined) return built;
  }
  const file = fileTextOf(schemas);
  if (file !== undefined && isAllowed(file)) return { value: file };
  const constraints = textConstraintsOf(schemas);
  const suggestion = suggestText(constraints, path, isAllowed);
  if (suggestion !== undefined) return { value: suggestion };
  const contradiction = contradictionInText(constraints, context.textWriter);
  if (contradiction !== undefined) return failureOf(task, contradiction, true);
  const value = buildText(constraints, path, isAllowed, context);
  return value === undefined ? failureOf(task, "no text was found that satisfies the schema", false) : { value };
}

/** Validates an array or an object as a whole if valid parts don't make it valid, as with `oneOf` and `not`. */
function checked(task: Task, built: Built | Failure): Built | Failure {
  if (isFailure(built) || !task.conjunction.needsCheck || task.isAllowed(built.value)) return built;
  return failureOf(
    task,
    "its parts satisfy their schemas, but no combination was found that satisfies the whole",
    false,
  );
}

function failureOf({ schemas, type }: Task, reason: string, proven: boolean): Failure {
  return { reason, schema: constrainingSchema(schemas, type), proven };
}

/** The path that the paths of an array's items, or of an object's properties, are derived from. */
function partPath({ conjunction, schemas, path }: Task, changes: Partial<ValuePath>): ValuePath {
  const { referenced, negated } = conjunction;
  return {
    ...path,
    ...changes,
    enclosing: [...path.enclosing, schemas[0], ...referenced],
    enclosingNegated: negated.length === 0 ? path.enclosingNegated : [...path.enclosingNegated, ...negated],
    depth: path.depth + 1,
  };
}

/**
 * The name of an object, from which sample texts are chosen: the component that describes the object, such as `Pet` of
 * `#/components/schemas/Pet`; without one, the property that contains the object.
 */
function ownerOf({ conjunction, schemas, path }: Task): string {
  const component = [...conjunction.referenced, schemas[0]]
    .map(({ node }) => /\/(?:schemas|definitions|\$defs)\/([^/]+)$/.exec(node.pointer)?.[1])
    .find((name) => name !== undefined);
  return component ?? path.name;
}
