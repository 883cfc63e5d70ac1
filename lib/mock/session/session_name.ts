const LONGEST_NAME = 128;

/**
 * Whether a text is a valid session name: 1 to 128 letters, digits, `.`, `_`, `~` and `-`, so that it can be a path
 * segment. `.` and `..` aren't valid, because clients resolve them as relative paths.
 */
export function isSessionName(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[\w.~-]+$/.test(name) && name !== "." && name !== "..";
}
