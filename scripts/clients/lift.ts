/**
 * Patterns for the code that skips a test because of the client's usual mock server, by the ending of the file's name.
 * Generators of SDKs add such skips for tests in which that mock server fails.
 */
const SKIPS: Readonly<Record<string, RegExp>> = {
  "_test.go": /^[ \t]*t\.Skip\("[^"\n]*\b(?:mock|prism|steady)\b[^"\n]*"\)[ \t]*\n/gim,
  ".py": /^[ \t]*@pytest\.mark\.skip\(\s*reason="[^"\n]*\b(?:mock|prism|steady)\b[^"\n]*",?\s*\)[ \t]*\n/gim,
};

/**
 * Removes skips that are due to the client's usual mock server. Other skips remain, for example those for a missing
 * credential.
 *
 * @param path The path of the file, whose ending determines the language.
 * @param text The text of the file.
 */
export function liftSkips(path: string, text: string): string {
  const ending = Object.keys(SKIPS).find((end) => path.endsWith(end));
  const skip = ending === undefined ? undefined : SKIPS[ending];
  return skip === undefined ? text : text.replaceAll(skip, "");
}
