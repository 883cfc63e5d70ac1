/**
 * A text without types may mean several values: `3` may be a number or a string, an XML element may follow either
 * branch of a `oneOf`. Decoders read the text in each way, until the validator accepts the value.
 *
 * @module
 */
import type { ReadPattern } from "../regexp/pattern.ts";
import type { Hints, PatternSource } from "../schema/hints.ts";
import { withinSteps } from "../schema/steps.ts";
import type { IsValid } from "../schema/validator.ts";

/**
 * Makes a validator for one text; `steps` is the number of schemas that it may evaluate in all. When no steps are left,
 * no value is valid.
 */
export type CreateValidator = (steps: number) => IsValid;

/** Loads the validator, with its formats and patterns, at its first use; most bodies are decoded without it. */
export class ValidatorLoader implements PatternSource {
  #readPattern: ReadPattern | undefined;
  #loading: Promise<CreateValidator> | undefined;

  /** The reader of regular expressions; `undefined` until it is loaded. */
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
 * How text is read where the schema allows any type. The readings are tried in this order:
 *
 * - `text`: as a string;
 * - `scalar`: as a number or a boolean where the text looks like one;
 * - `any`: as `scalar`, but an empty XML element as an empty object, and any other element as an array of one item.
 */
export type OpenReading = "text" | "scalar" | "any";

const OPEN_READINGS = ["text", "scalar", "any"] as const satisfies readonly OpenReading[];

/** A way to read a part of a text: by the hints (expected types) of one branch of its schema. */
export interface Branch {
  readonly hints: Hints;
  readonly open: OpenReading;
}

/** The branch by which a property or an item of a value is read: its own hints, and the `open` reading of the value. */
export function inside({ open }: Branch, hints: Hints): Branch {
  return { hints, open };
}

/** The most parts of a text whose possible values are tried. A text with more parts is read by its hints only. */
export const MOST_SEARCHED = 2_000;

/**
 * Where several readings of a text are tried: `quick`, where its schema has branches or no type; `thorough`, wherever a
 * text may mean more than one value. The thorough search follows when the schema refuses the result of the quick one.
 */
export type Effort = "quick" | "thorough";

/**
 * Limits of the search for the values that a text means: `readings` bounds the attempts to read a part of the text,
 * `steps` the evaluated schemas. A limit is `least`, plus `each` for every part of the text.
 */
const BUDGETS = {
  quick: { readings: { least: 5_000, each: 5 }, steps: { least: 300_000, each: 50 } },
  thorough: { readings: { least: 500, each: 5 }, steps: { least: 50_000, each: 50 } },
} as const satisfies Record<Effort, unknown>;
/**
 * A part with many schemas and property names takes longer to read. It counts as one reading, plus another one for
 * every 150 pairs of a schema and a property name.
 */
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
   * Finds the branch by which a part is read as a value that its schema allows.
   *
   * @param branch The branch with the hints of the whole schema. It is returned if the schema allows none of the
   * values.
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

  /**
   * Returns the first value that all alternative schemas allow; else the first that at least one of them allows; else
   * the first of all.
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

  /** Whether at least one of the schemas allows a value. */
  allows(value: unknown, hints: Hints): boolean {
    return this.#shareOf(value, hints) !== "none";
  }

  /** Memoises the value of a part for each branch that it is read by. */
  once(part: object, { hints, open }: Branch, read: () => unknown): unknown {
    const values = this.#known[open].get(part) ?? new Map<Hints, unknown>();
    this.#known[open].set(part, values);
    if (values.has(hints)) return values.get(hints);
    this.#readings -= 1 + Math.floor(hints.schemas.length * hints.propertyNames.size / LARGE);
    const value = read();
    values.set(hints, value);
    return value;
  }

  /**
   * Tells how many of the alternative schemas allow a value. Not all of them need to: of several
   * `patternProperties`, each applies to some names only.
   */
  #shareOf(value: unknown, { alternatives }: Hints): "all" | "some" | "none" {
    if (value === undefined) return "none";
    const { length } = alternatives.filter((schema) => this.#isValid(value, schema));
    if (length === alternatives.length) return "all";
    return length > 0 ? "some" : "none";
  }
}
