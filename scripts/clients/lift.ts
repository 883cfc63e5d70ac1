/**
 * Patterns of skips whose reason is a mock server, by the end of the file's name. Generated SDKs skip tests in which
 * their usual mock server fails.
 */
const SKIPS: Readonly<Record<string, RegExp>> = {
  "_test.go": /^[ \t]*t\.Skip\("[^"\n]*\b(?:mock|prism|steady)\b[^"\n]*"\)[ \t]*\n/gim,
  ".py": /^[ \t]*@pytest\.mark\.skip\(\s*reason="[^"\n]*\b(?:mock|prism|steady)\b[^"\n]*",?\s*\)[ \t]*\n/gim,
};

/**
 * Removes the skips of tests whose reason is a mock server. Other skips remain, such as those for another platform or a
 * missing credential.
 *
 * @param path The file's path, whose ending tells the language.
 * @param text The file's text.
 */
export function liftSkips(path: string, text: string): string {
  const ending = Object.keys(SKIPS).find((end) => path.endsWith(end));
  const skip = ending === undefined ? undefined : SKIPS[ending];
  return skip === undefined ? text : text.replaceAll(skip, "");
}
