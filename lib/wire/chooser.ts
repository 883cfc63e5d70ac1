/**
 * A text without types may mean several values: `3` a number or a string, an element a cat or a dog. Readers try each
 * meaning, and the validator decides.
 *
 * @module
 */
import type { ReadPattern } from "../regexp/pattern.ts";
import type { Hints, PatternSource } from "../schema/hints.ts";
import { withinSteps } from "../schema/steps.ts";
import type { IsValid } from "../schema/validator.ts";

/** Makes a validator for one text; `steps` is how many schemas it may ask in all, and without steps no value is valid. */
export type CreateValidator = (steps: number) => IsValid;

/** Loads the validator, with its formats and patterns, when it is first needed; most bodies are read without. */
export class ValidatorLoader implements PatternSource {
  #readPattern: ReadPattern | undefined;
  #loading: Promise<CreateValidator> | undefined;

  /** The reader of patterns, once it is loaded. */
  get readPattern(): ReadPattern | undefined {
    return this.#readPattern;
  }

  load(): Promise<CreateValidator> {
    return this.#loading ??= this.#load();
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
 * How text is read where the schema leaves the type open:
 *
 * - `text`: as a string;
 * - `scalar`: as a number or a boolean where the text looks like one;
 * - `any`: besides, nothing is an empty object, and an element an array of one item.
 */
export type OpenReading = "text" | "scalar" | "any";

const OPEN_READINGS = ["text", "scalar", "any"] as const satisfies readonly OpenReading[];

/** A way to read a part of a text. */
export interface Branch {
  readonly hints: Hints;
  readonly open: OpenReading;
}

/** A branch for a part of the value. */
export function inside({ open }: Branch, hints: Hints): Branch {
  return { hints, open };
}

/** Parts of a text that is searched for other values than its hints tell. A longer text means only one value. */
export const MOST_SEARCHED = 2_000;

/**
 * How much of a text is read by trial: `quick`, where its schema leaves a choice between branches, or leaves the type
 * open; `thorough`, wherever a text may mean more than one value, once the schema has refused the likeliest.
 */
export type Effort = "quick" | "thorough";

/** Parts that are read a second time and more, and schemas that are asked: at least, and for each part. */
const BUDGETS = {
  quick: { readings: { least: 5_000, each: 5 }, steps: { least: 300_000, each: 50 } },
  thorough: { readings: { least: 500, each: 5 }, steps: { least: 50_000, each: 50 } },
} as const satisfies Record<Effort, unknown>;
/** Properties, each in each schema of a part, that are looked up in the time of a reading. */
const LARGE = 150;

type Readings = Map<object, Map<Hints, unknown>>;

/** Decides how the parts of one text are read. Its work grows with the text's size, however deep choices are nested. */
export class Chooser {
  readonly #isValid: IsValid;
  readonly #known: Readonly<Record<OpenReading, Readings>> = { text: new Map(), scalar: new Map(), any: new Map() };
  #readings: number;

  /** @param size How many parts the text has. */
  constructor(size: number, createValidator: CreateValidator, effort: Effort) {
    const { readings, steps } = BUDGETS[effort];
    this.#isValid = createValidator(steps.least + steps.each * size);
    this.#readings = readings.least + readings.each * size;
  }

  /**
   * Finds the branch by which a part is read as a value that the schema allows.
   *
   * @param branch The branch that is taken when no other is right.
   * @param options The hints to try, the most likely first.
   */
  choose(branch: Branch, options: readonly Hints[], read: (branch: Branch) => unknown): Branch {
    if (options.length === 0) return branch;
    let partly: Branch | undefined;
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

  /** The first value that the schemas allow; else the first that one of them allows; else the first. */
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

  /** Whether at least one of the schemas allows a value. */
  allows(value: unknown, hints: Hints): boolean {
    return this.#shareOf(value, hints) !== "none";
  }

  /** The value of a part, read by a branch by which it wasn't read before. */
  once(part: object, { hints, open }: Branch, read: () => unknown): unknown {
    const values = this.#known[open].get(part) ?? new Map<Hints, unknown>();
    this.#known[open].set(part, values);
    if (values.has(hints)) return values.get(hints);
    this.#readings -= 1 + Math.floor(hints.schemas.length * hints.propertyNames.size / LARGE);
    const value = read();
    values.set(hints, value);
    return value;
  }

  /** How many of the alternatives allow a value: patterns of names, for one, each describe some values. */
  #shareOf(value: unknown, { alternatives }: Hints): "all" | "some" | "none" {
    if (value === undefined) return "none";
    const { length } = alternatives.filter((schema) => this.#isValid(value, schema));
    if (length === alternatives.length) return "all";
    return length > 0 ? "some" : "none";
  }
}
