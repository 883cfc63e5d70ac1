import { isObject } from "../../schema/json/node.ts";
import type { Schema, Type } from "../../schema/schema.ts";
import { spend } from "../../regexp/steps.ts";
import { show } from "../../schema/wording.ts";
import { type Built, type Failure, isFailure } from "./body.ts";
import type { Branch } from "./branch.ts";
import { buildConjunction } from "./build_conjunction.ts";
import { type Conjunction, type OpenConjunction, schemasOf, startOfItem } from "./conjunction.ts";
import { conversionsOf } from "./example.ts";
import { exhaustion, type GeneratorContext, spendSearch, type ValuePath } from "./generator_context.ts";
import { hashWith } from "./random.ts";
import { suggestedValues } from "./suggested_value.ts";
import { allowedTypes } from "./type.ts";

/** The most search steps for one optional value. */
const MOST_OPTIONAL_STEPS = 2000;
/** The deepest nesting of objects and arrays for which values are built. A schema that requires more gets no body. */
const MOST_DEPTH = 100;
const COMPARISONS_PER_STEP = 16;
/**
 * The number of different first alternatives with which bodies of seeds other than 0 begin their search for branches.
 * Branches are memoised for each of them.
 */
const MOST_STARTS = 12;

/** Builds a value that satisfies schemas together, within the budget of the body. */
export function buildValue(
  context: GeneratorContext,
  schemas: readonly Schema[],
  path: ValuePath,
): Built | Failure {
  const { budget } = context;
  const { values, searchSteps } = budget;
  spend(context.steps, 1 + schemas.length);
  if (path.optional) budget.searchSteps = Math.min(searchSteps, MOST_OPTIONAL_STEPS);
  const allowed = budget.searchSteps;
  spendSearch(budget, 1);
  if (budget.values-- <= 0) budget.exhausted = "values";
  const built = tryBranches(context, schemas, path);
  budget.searchSteps = searchSteps - (allowed - budget.searchSteps);
  if (!isFailure(built) || budget.exhausted === "values") return built;
  // The body doesn't contain the values of a failed attempt, so they don't count against its budget.
  budget.values = values;
  if (budget.exhausted === "searchSteps" && path.optional && budget.searchSteps > 0) delete budget.exhausted;
  return built;
}

/**
 * Returns the first value that the definition suggests (an example, a default) and that is valid. If there is none,
 * builds the value from the first branch that allows it; recursive branches are tried last.
 */
function tryBranches(context: GeneratorContext, schemas: readonly Schema[], path: ValuePath): Built | Failure {
  const { budget } = context;
  const [schema] = schemas;
  if (schema === undefined) throw new RangeError("Cannot build a value: there is no schema");
  if (budget.exhausted !== undefined) return exhaustion(budget, schema);
  if (path.depth > MOST_DEPTH) {
    return { reason: `values nested deeper than ${MOST_DEPTH} levels are not generated`, schema, proven: false };
  }
  const merged = context.branches.mergeRequired(schemas);
  if (isFailure(merged)) return merged;
  const accepts = (value: unknown): boolean => schemas.every((member) => context.isValid(value, member));
  /** The first value that is valid as it is, else as an annotation of `format` lets it stand, else converted. */
  const suggestionOf = (values: readonly unknown[]): Built | undefined =>
    firstOf(values, accepts) ?? firstOf(values, (value) => context.keeps(value, schemas)) ??
      firstOf(values.flatMap((value) => conversionsOf(value, schemasOf(merged))), accepts);
  const suggested = suggestionOf(path.preferred) ?? suggestionOf(suggestedValues(context, merged, path));
  if (suggested !== undefined) return suggested;
  remarkUnused(context, merged, path);

  const recursive: Branch[] = [];
  let failure: Failure | undefined;
  let isProven = true;
  for (const branch of context.branches.of(schemas, startOf(context, merged, path))) {
    spendSearch(budget, branch.searchSteps);
    if (budget.exhausted !== undefined) return exhaustion(budget, schema);
    const { conjunction } = branch;
    if (isFailure(conjunction)) {
      failure ??= conjunction;
      isProven &&= conjunction.proven;
      continue;
    }
    spend(context.steps, 1 + Math.floor(conjunction.referenced.length * path.enclosing.length / COMPARISONS_PER_STEP));
    if (isRecursive(conjunction, path)) {
      recursive.push(branch);
      budget.recursions++;
      continue;
    }
    const built = buildBranch(context, branch, accepts, path);
    if (!isFailure(built) || budget.exhausted !== undefined) return built;
    if (conjunction.isRedundant) continue;
    failure = built;
    isProven &&= built.proven;
  }
  for (const branch of path.optional ? [] : recursive) {
    const { conjunction } = branch;
    if (isFailure(conjunction)) continue;
    const built = endlessRecursion(conjunction, schema, path) ?? buildBranch(context, branch, accepts, path);
    if (!isFailure(built) || budget.exhausted !== undefined) return built;
    if (conjunction.isRedundant) continue;
    failure ??= built;
    isProven &&= built.proven;
  }
  failure ??= { reason: "every way to satisfy the schema is recursive", schema, proven: false };
  return { ...failure, proven: isProven && failure.proven && !path.optional };
}

/** The first value that is accepted, which may be null. */
function firstOf(values: readonly unknown[], accepts: (value: unknown) => boolean): Built | undefined {
  const index = values.findIndex(accepts);
  return index === -1 ? undefined : { value: values[index] };
}

/** Notes the examples that don't fit. Of arrays and objects, the parts that fit are taken. */
function remarkUnused({ variation, remarks }: GeneratorContext, merged: Conjunction, path: ValuePath): void {
  if (variation.isVaried || path.index > 0) return;
  const allows = (type: Type): boolean => allowedTypes(schemasOf(merged))?.includes(type) !== false;
  const hasParts = (value: unknown): boolean =>
    (Array.isArray(value) && allows("array")) || (isObject(value) && allows("object"));
  for (const { examples, node } of merged.members.keys()) {
    const example = examples?.find((value) => !hasParts(value));
    if (example === undefined) continue;
    const shown = typeof example === "object" && example !== null ? "" : ` ${show(example)}`;
    remarks.add(`The example${shown} at #${node.pointer} is not used: it doesn't fit the schema.`);
  }
}

function startOf({ variation }: GeneratorContext, merged: OpenConjunction, path: ValuePath): number {
  return (variation.isVaried ? hashWith(path.hash, "branch") : startOfItem(merged, path.index)) % MOST_STARTS;
}

function buildBranch(
  context: GeneratorContext,
  branch: Branch,
  accepts: (value: unknown) => boolean,
  path: ValuePath,
): Built | Failure {
  const { conjunction, unsatisfiable } = branch;
  if (isFailure(conjunction)) return conjunction;
  const { budget } = context;
  if (unsatisfiable !== undefined) {
    spendSearch(budget, unsatisfiable.searchSteps);
    spend(context.steps, unsatisfiable.work);
    return unsatisfiable.failure;
  }
  const { values, searchSteps, recursions } = budget;
  const work = context.steps.left;
  const built = buildConjunction(context, conjunction, accepts, path);
  if (!isFailure(built) || budget.exhausted !== undefined) return built;
  // The body doesn't contain the values of a failed attempt, so they don't count against its budget.
  budget.values = values;
  if (built.proven && budget.recursions === recursions) {
    branch.unsatisfiable = {
      failure: built,
      searchSteps: searchSteps - budget.searchSteps,
      work: work - context.steps.left,
    };
  }
  return built;
}

/**
 * Whether a branch is recursive: it requires a schema that an enclosing array or object satisfies, or excludes a schema
 * that an enclosing array or object must not satisfy.
 */
function isRecursive({ referenced, negated }: Conjunction, path: ValuePath): boolean {
  return referenced.some((schema) => path.enclosing.includes(schema)) ||
    negated.some((schema) => path.enclosingNegated.includes(schema));
}

/**
 * The failure of a branch that recurs without end: one of its schemas recurs for the second time. The first recurrence
 * is allowed, because the recurring schema may be merged with other schemas that end the recursion.
 */
function endlessRecursion({ referenced, negated }: Conjunction, schema: Schema, path: ValuePath): Failure | undefined {
  if (mostRepeated(referenced, path.enclosing) > 1) {
    return { reason: "the schema requires itself without end", schema: referenced[0] ?? schema, proven: true };
  }
  if (mostRepeated(negated, path.enclosingNegated) > 1) {
    return { reason: "only an endlessly nested value is left", schema, proven: false };
  }
  return undefined;
}

/** The highest number of times that any of `schemas` occurs in `others`. */
function mostRepeated(schemas: readonly Schema[], others: readonly Schema[]): number {
  return Math.max(0, ...schemas.map((schema) => others.filter((other) => other === schema).length));
}
