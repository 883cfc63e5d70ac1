import { withOtherEnd } from "../../mock/hidden.ts";

/** A path that a URL parser would change: one with segments `.` and `..`, which may be percent-encoded, or a backslash. */
const UNUSUAL = /\\|\/(?:\.|%2e)/i;

/** Encodings that some servers take for a slash, and parameters of a segment (RFC 3986, section 3.3) that some drop. */
const ENCODED_SLASH = /%2f|%5c/gi;
const SEGMENT_PARAMETERS = /(?:;|%3b)[^/]*/gi;

/**
 * The path as an upstream will understand it: a path that is matched in one form and understood in another goes round
 * what its route demands. Dot segments are resolved, and several slashes in a row become one, as Envoy does it.
 *
 * @param path Path of a request, with its percent-encoding.
 */
export function normalPath(path: string): string {
  return withoutEmptySegments(withoutDotSegments(path));
}

/** A path with its dot segments resolved, and with slashes for its backslashes. */
export function withoutDotSegments(path: string): string {
  const mayBe = path.includes("/.") || path.includes("/%2") || path.includes("\\");
  return mayBe && UNUSUAL.test(path) ? URL.parse(`http://host${path}`)?.pathname ?? path : path;
}

/** A path with one slash for several in a row. */
export function withoutEmptySegments(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/**
 * Other paths that a server may take a path for: with or without a slash at its end, with encoded slashes decoded,
 * without parameters of its segments.
 *
 * @param path A path as {@linkcode normalPath} gives it.
 */
export function spellingsOf(path: string): string[] {
  const mayDiffer = path.includes("%") || path.includes(";");
  const bare = mayDiffer ? normalPath(path.replace(ENCODED_SLASH, "/").replace(SEGMENT_PARAMETERS, "")) : path;
  const all = new Set([withOtherEnd(path), bare, withOtherEnd(bare)]);
  return [...all].flatMap((other) => other === undefined || other === path ? [] : [other]);
}
