/**
 * Chooses among the values that an untyped text may stand for: `3` is a number or a string, and an XML element may
 * follow any branch of a `oneOf`. The decoders of forms and XML try one reading after the other until the schema allows
 * the value.
 *
 * @module
 */
import { loadOnce } from "../http/load_once.ts";
import type { ReadPattern } from "../regexp/pattern.ts";
import type { Hints, PatternSource } from "../schema/hints.ts";
import { withinSteps } from "../regexp/steps.ts";
import type { IsValid } from "../schema/validator.ts";

/**
 * Makes a validator for the values of one text. `steps` is its budget of evaluated schemas; when the budget is spent,
 * every value counts as invalid.
 */
export type CreateValidator = (steps: number) => IsValid;

/** Imports the validator, with its formats and patterns, at the first use. Most bodies are decoded without it. */
export class ValidatorLoader implements PatternSource {
  #readPattern: ReadPattern | undefined;
  readonly #loadOnce = loadOnce(() => this.#load());

  get readPattern(): ReadPattern | undefined {
    return this.#readPattern;
  }

  load(): Promise<CreateValidator> {
    return this.#loadOnce();
  }

  async #load(): Promise<CreateValidator> {
    const [{ loadFormats }, { createValidator }, { loadPatternReader }] = await Promise.all([
      import("../schema/format.ts"),
      import("../schema/validator.ts"),
      import("../regexp/pattern.ts"),
    ]);
    const [formats, readPattern] = await Promise.all([loadFormats(), loadPatternReader()]);
    this.#readPattern = readPattern;
    const validator = createValidator(formats, readPattern);
    return (left) => {
      const steps = { left };
      const { isValid } = validator.within(steps);
      return (value, schema) => withinSteps(() => steps.left > 0 && isValid(value, schema), () => false);
    };
  }
}

/**
 * The readings of text whose schema allows any type, in the order of the attempts:
 *
 * - `text`: as a string;
 * - `scalar`: as a number or a boolean where the text looks like one;
 * - `any`: as `scalar`, but an empty XML element as an empty object, and any other element as an array of one item.
 */
export type OpenReading = "text" | "scalar" | "any";

const OPEN_READINGS = ["text", "scalar", "any"] as const satisfies readonly OpenReading[];

/**
 * A way to read a part of a text: by the hints of one branch of its schema, and by one reading for text whose schema
 * allows any type.
 */
export interface ValueBranch {
  readonly hints: Hints;
  readonly open: OpenReading;
}

/**
 * Makes the branch for a property or an item: with its own hints, and with the `open` reading of the value that
 * contains it.
 */
export function inside({ open }: ValueBranch, hints: Hints): ValueBranch {
  return { hints, open };
}

/**
 * Limit of the parts of a text for which other values are tried. A text with more parts is decoded by its hints only.
 */
export const MOST_SEARCHED = 2_000;

/**
 * The extent of a search for readings of a text. `quick`: a reading for each branch of the schema, and those of
 * {@linkcode OpenReading}. `thorough`: also a reading for each type that the text may have. It follows when the schema
 * has refused the value of a quick search.
 */
export type Effort = "quick" | "thorough";

/**
 * Budgets of a search. `readings` limits the attempts to read a part of the text, `steps` the evaluated schemas. A
 * budget is `least`, plus `each` for each part of the text.
 */
const BUDGETS = {
  quick: { readings: { least: 5_000, each: 5 }, steps: { least: 300_000, each: 50 } },
  thorough: { readings: { least: 500, each: 5 }, steps: { least: 50_000, each: 50 } },
} as const satisfies Record<Effort, unknown>;
/**
 * Number of pairs of a schema and a property name that take one more reading from the budget: parts with many pairs
 * take longer to read.
 */
const PAIRS_OF_READING = 150;

type Readings = Map<object, Map<Hints, unknown>>;

/**
 * Chooses among the readings of the parts of one text. Readings are memoised and have a budget: otherwise nested
 * choices would take exponential time.
 */
export class Chooser {
  readonly #isValid: IsValid;
  readonly #known: Readonly<Record<OpenReading, Readings>> = { text: new Map(), scalar: new Map(), any: new Map() };
  #readings: number;

  /** @param size The number of parts of the text, which determines the budget. */
  constructor(size: number, createValidator: CreateValidator, effort: Effort) {
    const { readings, steps } = BUDGETS[effort];
    this.#isValid = createValidator(steps.least + steps.each * size);
    this.#readings = readings.least + readings.each * size;
  }

  /**
   * Finds the branch by which a part is read as a value that its schema allows.
   *
   * @param branch The branch with the hints of the whole schema. It is returned if the schema allows none of the
   * values.
   * @param options The hints to try, the most likely ones first.
   * @param read Reads the part by a branch.
   */
  choose(branch: ValueBranch, options: readonly Hints[], read: (branch: ValueBranch) => unknown): ValueBranch {
    if (options.length === 0) return branch;
    let partly: ValueBranch | undefined;
    for (const open of OPEN_READINGS.slice(OPEN_READINGS.indexOf(branch.open))) {
      for (const hints of options) {
        if (this.#readings <= 0) return partly ?? branch;
        const attempt = { hints, open };
        const share = this.#shareOf(read(attempt), branch.hints);
        if (share === "all") return attempt;
        if (share === "some") partly ??= attempt;
      }
    }
    return partly ?? branch;
  }

  /**
   * Returns the first of the values that all schemas of the hints allow; else the first that one of these schemas
   * allows; else the first value.
   */
  chooseValue(values: readonly unknown[], hints: Hints): unknown {
    if (values.length < 2 || hints.alternatives.length === 0) return values[0];
    let partly: { value: unknown } | undefined;
    for (const value of values) {
      const share = this.#shareOf(value, hints);
      if (share === "all") return value;
      if (share === "some") partly ??= { value };
    }
    return partly === undefined ? values[0] : partly.value;
  }

  /** Whether at least one schema of the hints allows a value. */
  allows(value: unknown, hints: Hints): boolean {
    return this.#shareOf(value, hints) !== "none";
  }

  /** Memoises the value of a part, by the branch that it was read by. */
  memoise(part: object, { hints, open }: ValueBranch, read: () => unknown): unknown {
    const values = this.#known[open].get(part) ?? new Map<Hints, unknown>();
    this.#known[open].set(part, values);
    if (values.has(hints)) return values.get(hints);
    this.#readings -= 1 + Math.floor(hints.schemas.length * hints.propertyNames.size / PAIRS_OF_READING);
    const value = read();
    values.set(hints, value);
    return value;
  }

  /**
   * Tells how many schemas of the hints allow a value. A value may be right although not all of them do: of several
   * `patternProperties`, each applies only to some names.
   */
  #shareOf(value: unknown, { alternatives }: Hints): "all" | "some" | "none" {
    if (value === undefined) return "none";
    const { length } = alternatives.filter((schema) => this.#isValid(value, schema));
    if (length === alternatives.length) return "all";
    return length > 0 ? "some" : "none";
  }
}
