/** A path that a URL parser would change: one with segments `.` and `..`, which may be percent-encoded, or a backslash. */
const UNUSUAL = /\\|\/(?:\.|%2e)/i;

/**
 * The path as an upstream will understand it: a path that is matched in one form and understood in another goes round
 * what its route demands.
 *
 * @param path Path of a request, with its percent-encoding.
 */
export function normalPath(path: string): string {
  const mayBe = path.includes("/.") || path.includes("/%2") || path.includes("\\");
  return mayBe && UNUSUAL.test(path) ? URL.parse(`http://host${path}`)?.pathname ?? path : path;
}
