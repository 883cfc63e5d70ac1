import type { SampleTextWriter } from "../../regexp/sample_text.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Steps } from "../../regexp/steps.ts";
import type { IsValid } from "../../schema/validator.ts";
import type { Built, Failure } from "./body.ts";
import type { BranchCache } from "./branch.ts";

/** The limits of a body's size. A body that exceeds them is generated again with other limits. */
export interface SizeLimits {
  /** The nesting depth from which optional objects and arrays are left out. */
  readonly depth: number;
  /** The most values of the body, nested ones included. */
  readonly values: number;
  /**
   * The number of values that is divided among the parts of a body, so that one large part can't use up `values`.
   */
  readonly share: number;
}

/** The probabilities by which a body differs from the body of seed 0, which has examples and the likeliest values. */
export interface Variation {
  /** Whether choices are random; `false` for seed 0. */
  readonly isVaried: boolean;
  /** Probability that a value is the example or default of its schema. Read only if `isVaried`. */
  readonly example: number;
  /** Probability that an optional property is left out. */
  readonly omission: number;
  /** Probability that a value that may be null is null. */
  readonly null: number;
  /** Whether a text for a `pattern` may be longer than the shortest match. */
  readonly freeText: boolean;
}

/** The budget of one body. */
export interface Budget {
  /** Number of values that the body may still get. */
  values: number;
  /** Search steps that are left. */
  searchSteps: number;
  /** The budget that was exhausted, `values` or `searchSteps`. The attempt at a body then ends as soon as possible. */
  exhausted?: "values" | "searchSteps";
  /**
   * Number of recursive branches skipped so far. If it grew while a value was built, the value's failure may depend on
   * the enclosing values, and isn't memoised.
   */
  recursions: number;
}

export interface GeneratorContext {
  readonly isValid: IsValid;
  /**
   * Keeps an example that no keyword but `format` refuses, if the version of the definition lets it stand. From then on
   * `isValid` accepts it. Returns whether it is kept.
   */
  readonly keeps: (example: unknown, schemas: readonly Schema[]) => boolean;
  readonly matches: (text: string, pattern: string) => boolean;
  readonly textWriter: SampleTextWriter;
  readonly branches: BranchCache;
  readonly limits: SizeLimits;
  readonly variation: Variation;
  /** Number of items of the outermost arrays. */
  readonly arraySize: number | undefined;
  /** Steps of work left, for validation, the search for branches and the building of values. */
  readonly steps: Steps;
  readonly budget: Budget;
  /** Gets what the definition says that the body can't follow. */
  readonly remarks: Set<string>;
  readonly build: Build;
}

/**
 * Builds a value that satisfies all the schemas. The builders of objects and arrays call it for properties and items.
 */
export type Build = (schemas: readonly Schema[], path: ValuePath) => Built | Failure;

/** The place of a value in the body, and the constraints that the enclosing objects and arrays put on the value. */
export interface ValuePath {
  /** The name of the innermost property that contains the value; empty for a whole body. */
  readonly name: string;
  /**
   * The name of the object that contains the value: the component that describes the object, or the property that
   * contains it.
   */
  readonly owner: string;
  /** Seed of the random choices for the value. */
  readonly hash: number;
  /** Seed of the choices that all properties of one object share: its name and email address are of the same person. */
  readonly group: number;
  /** Index in the nearest array; 0 outside arrays. */
  readonly index: number;
  /** The number of objects and arrays that contain the value. */
  readonly depth: number;
  /** The number of arrays that contain the value. */
  readonly arrays: number;
  /** The most values, nested ones included, that the value should have. Optional parts beyond it are left out. */
  readonly share: number;
  /** Whether the value may be left out. An optional value is left out if it can't be built, or only by recursion. */
  readonly optional: boolean;
  /** The schemas that the enclosing values satisfy. A schema is recursive if the value must satisfy it, too. */
  readonly enclosing: readonly Schema[];
  /** The schemas that the enclosing values must not satisfy. */
  readonly enclosingNegated: readonly Schema[];
  /** Status code (400-599), if the body is that of an error response. */
  readonly status?: number;
  /** Values that a discriminator, or an example of an enclosing value, has for this value; tried before others. */
  readonly preferred: readonly unknown[];
}

/**
 * The path of a whole body.
 *
 * @param hash Seed of the random choices.
 * @param share The most values that the body should have. Optional parts beyond it are left out.
 * @param status Status code (400-599), if the body is that of an error response.
 */
export function rootPath(hash: number, share: number, status: number | undefined): ValuePath {
  return {
    name: "",
    owner: "",
    hash,
    group: hash,
    index: 0,
    depth: 0,
    arrays: 0,
    share,
    optional: false,
    enclosing: [],
    enclosingNegated: [],
    preferred: [],
    ...(status === undefined ? {} : { status }),
  };
}

export function spendSearch(budget: Budget, steps: number): void {
  budget.searchSteps -= steps;
  if (budget.searchSteps <= 0) budget.exhausted = "searchSteps";
}

export function exhaustion({ exhausted }: Budget, schema: Schema): Failure {
  const reason = exhausted === "searchSteps" ? "the search became too long" : "the body became too large";
  return { reason, schema, proven: false };
}
