import type { ReadPattern } from "../regexp/pattern.ts";
import type { PatternSource } from "../schema/hints.ts";
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
    return (left) => {
      const steps = { left };
      const { isValid } = createValidator(formats, readPattern, steps);
      return (value, schema) => withinSteps(() => steps.left > 0 && isValid(value, schema), () => false);
    };
  }
}
