import type { SampleTextWriter } from "../../regexp/sample_text.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Steps } from "../../schema/steps.ts";
import type { IsValid } from "../../schema/validator.ts";
import type { Built, Failure } from "./body.ts";
import type { BranchCache } from "./branch.ts";

/** How large a body may become. */
export interface SizeLimits {
  /** Depth of nesting from which on optional objects and arrays are left out. */
  readonly depth: number;
  /** The most values of the body, nested ones included. */
  readonly values: number;
  /** The number of values that the parts of a body share, so that a large body shows something of each part. */
  readonly share: number;
}

/** How much a body differs from the prettiest one. */
export interface Variation {
  /** Whether the body differs from the prettiest one at all; `false` for seed 0. */
  readonly isVaried: boolean;
  /** Probability that a value is the example or default of its schema, after the first item of an array. */
  readonly example: number;
  /** The probability with which an optional property is left out. */
  readonly omission: number;
  /** Probability that a nullable value is null. */
  readonly null: number;
  /** Whether a text that matches a pattern may be longer than necessary. */
  readonly freeText: boolean;
}

/** The budget of one body. */
export interface Budget {
  /** Values that the body may still get. */
  values: number;
  /** Steps of the search that are left. */
  searchSteps: number;
  /** The budget that was exhausted, `values` or `searchSteps`: the attempt then ends as soon as possible. */
  exhausted?: "values" | "searchSteps";
  /**
   * Number of recursive branches skipped so far. If it grows while a value is built, a failure of the value may depend
   * on the values around, and isn't memoised.
   */
  recursions: number;
}

/** The context in which one body is built. */
export interface GeneratorContext {
  readonly isValid: IsValid;
  readonly matches: (text: string, pattern: string) => boolean;
  readonly textWriter: SampleTextWriter;
  readonly branches: BranchCache;
  readonly limits: SizeLimits;
  readonly variation: Variation;
  /** Items of the outermost arrays. */
  readonly arraySize: number | undefined;
  /** Steps of work left, for the validator, the search for branches and the values built for them. */
  readonly steps: Steps;
  readonly budget: Budget;
  /** Builds a value that satisfies schemas together. The builders of objects and arrays call it for their parts. */
  readonly build: Build;
}

/** Builds a value that satisfies schemas together. */
export type Build = (schemas: readonly Schema[], path: ValuePath) => Built | Failure;

/** The path from the body to a value, and the constraints that come from the values around. */
export interface ValuePath {
  /** The name of the innermost property that contains the value; empty for a whole body. */
  readonly name: string;
  /** The name of the object that contains the value: the name of its schema, or of its property. */
  readonly owner: string;
  /** Seed of the random choices for the value. */
  readonly hash: number;
  /** Seed of the choices that the properties of an object share, such as a name and an address that go together. */
  readonly group: number;
  /** Index in the nearest array; 0 outside arrays. */
  readonly index: number;
  /** The number of objects and arrays that contain the value. */
  readonly depth: number;
  /** The number of arrays that contain the value. */
  readonly arrays: number;
  /** The most values, nested ones included, that the value may have before optional ones are left out. */
  readonly share: number;
  /** Whether the value may be left out; it is left out if it can't be built, or only by recursion. */
  readonly optional: boolean;
  /** The schemas that the containing values satisfy. A schema is recursive if the value must satisfy it, too. */
  readonly enclosing: readonly Schema[];
  /** The schemas that the containing values must not satisfy. */
  readonly enclosingNegated: readonly Schema[];
  /** Status code (400-599) of the error response that the body is of; absent for other bodies. */
  readonly status?: number;
  /** Values by which a discriminator selects the schema of the object; preferred to others if they are valid. */
  readonly preferred: readonly unknown[];
}

/**
 * The path of a whole body.
 *
 * @param hash Seed of the random choices.
 * @param share The most values that the body may have before optional ones are left out.
 * @param status Status code (400-599) of the error response that the body is of, if it is of one.
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

/** Subtracts steps from the search budget of a body. */
export function spendSearch(budget: Budget, steps: number): void {
  budget.searchSteps -= steps;
  if (budget.searchSteps <= 0) budget.exhausted = "searchSteps";
}

/** The failure of a value whose budget is exhausted. */
export function exhaustion({ exhausted }: Budget, schema: Schema): Failure {
  const reason = exhausted === "searchSteps" ? "the search became too long" : "the body became too large";
  return { reason, schema, proven: false };
}
