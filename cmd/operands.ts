import { STDIN } from "./io/location.ts";

/**
 * The mistake in the definitions and overlays that a command line names; `undefined` if there is none.
 *
 * @param definitions Files, URLs, and `-` for standard input.
 */
export function mistakeInOperands(definitions: readonly string[], overlays: readonly string[]): string | undefined {
  if (definitions.length === 0) return "Which definition? Name a file, a URL, or - for standard input.";
  const isReadTwice = [...definitions, ...overlays].filter((operand) => operand === STDIN).length > 1;
  return isReadTwice ? "Standard input (-) can be read only once." : undefined;
}
