/**
 * A regular expression of a schema, as JSON Schema wants it: with Unicode semantics where it is written for them
 * (2020-12, section 6.4), else as it can be read.
 *
 * @returns `undefined` for text that is no regular expression of ECMA-262: such a `pattern` forbids nothing.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}
