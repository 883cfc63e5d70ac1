/** The longest name of a session. */
const LONGEST_NAME = 128;

/**
 * Whether a session may have a name: 1 to 128 letters, digits, `.`, `_`, `~` and `-`, so that the name can be a segment
 * of a path. `.` and `..` aren't allowed, because clients resolve them as relative paths.
 */
export function isSessionName(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[\w.~-]+$/.test(name) && name !== "." && name !== "..";
}
