import type { Schema } from "../../schema/schema.ts";
import type { Failure } from "./conjunction.ts";
import type { SampleTextWriter } from "../../regexp/sample_text.ts";
import type { Place } from "./value_path.ts";
import type { IsValid } from "../../schema/validator.ts";
import type { Steps } from "../../schema/steps.ts";
import type { Ways } from "./branch.ts";

/** A value that was made. */
export interface Built {
  readonly value: unknown;
}

/** How large a body may become. */
export interface Plan {
  /** Objects and arrays that may stand in each other before optional ones are left out. */
  readonly depth: number;
  /** Values in all. */
  readonly values: number;
  /** Values that are divided among the parts of the body, so that each of a large body's parts is shown in part. */
  readonly share: number;
}

/** How much a body is to differ from the prettiest one. */
export interface Look {
  /** Whether it is to differ at all. */
  readonly isVaried: boolean;
  /** How likely a value is the example or default of its schema, after the first item of an array. */
  readonly example: number;
  /** How likely an optional property is left out. */
  readonly omission: number;
  /** How likely a value is null that may be. */
  readonly null: number;
  /** Whether a text that matches a pattern may be longer than it has to be. */
  readonly freeText: boolean;
}

/** What the making of one body has to go by. */
export interface Workshop {
  readonly isValid: IsValid;
  readonly matches: (text: string, pattern: string) => boolean;
  readonly textWriter: SampleTextWriter;
  readonly plan: Plan;
  /** Items of the outermost arrays. */
  readonly arraySize: number | undefined;
  readonly look: Look;
  readonly ways: Ways;
  /** Bounds the work of all parts: of the validator, of the search for ways, and of what is made of them. */
  readonly steps: Steps;
  readonly budget: Budget;
}

/** What may still be done for a body. */
export interface Budget {
  /** Values that the body may still get. */
  values: number;
  /** Steps of the search in all. */
  steps: number;
  /** Which of them was spent: what goes on then is idle. */
  spent?: "values" | "steps";
  /** Schemas that were met inside themselves: what is found out then may not hold elsewhere. */
  circles: number;
}

/** Makes a value that satisfies schemas together. */
export type Build = (schemas: readonly Schema[], place: Place) => Built | Failure;
