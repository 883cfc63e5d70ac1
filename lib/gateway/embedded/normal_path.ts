import { toggleTrailingSlash } from "../../mock/action.ts";

/**
 * A path that a URL parser would change: one with segments `.` and `..`, which may be percent-encoded, or a backslash.
 */
const UNUSUAL = /\\|\/(?:\.|%2e)/i;

/**
 * Encodings that some servers decode to a slash, and parameters of a segment (RFC 3986, section 3.3) that some drop.
 */
const ENCODED_SLASH = /%2f|%5c/gi;
const SEGMENT_PARAMETERS = /(?:;|%3b)[^/]*/gi;

/**
 * Normalizes a path as Envoy does: dot segments are resolved, and several slashes in a row become one. Routes are
 * matched by the normalized path, since a path that an upstream reads differently could bypass the settings of its
 * route.
 *
 * @param path Path of a request, with its percent-encoding.
 */
export function normalPath(path: string): string {
  return withoutEmptySegments(withoutDotSegments(path));
}

/** Resolves dot segments, and replaces backslashes by slashes. */
export function withoutDotSegments(path: string): string {
  const mayBe = path.includes("/.") || path.includes("/%2") || path.includes("\\");
  return mayBe && UNUSUAL.test(path) ? URL.parse(`http://host${path}`)?.pathname ?? path : path;
}

/** Replaces several slashes in a row by one. */
export function withoutEmptySegments(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/**
 * Other paths that a server may read a path as: with or without a trailing slash, with encoded slashes decoded, without
 * the parameters of its segments.
 *
 * @param path A normalized path.
 */
export function spellingsOf(path: string): string[] {
  const mayDiffer = path.includes("%") || path.includes(";");
  const bare = mayDiffer ? normalPath(path.replace(ENCODED_SLASH, "/").replace(SEGMENT_PARAMETERS, "")) : path;
  const all = new Set([toggleTrailingSlash(path), bare, toggleTrailingSlash(bare)]);
  return [...all].flatMap((other) => other === undefined || other === path ? [] : [other]);
}
