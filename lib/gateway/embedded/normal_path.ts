import { toggleTrailingSlash } from "../../mock/action.ts";

/**
 * Matches a path that a URL parser would change: it has a segment `.` or `..`, perhaps percent-encoded, or a backslash.
 */
const UNUSUAL = /\\|\/(?:\.|%2e)/i;

/** Matches an encoded slash or backslash, which some servers decode before they split a path into segments. */
const ENCODED_SLASH = /%2f|%5c/gi;
const SEGMENT_PARAMETERS = /(?:;|%3b)[^/]*/gi;

/**
 * Normalises a path as Envoy does: resolves dot segments, and replaces several slashes in a row by one. Routes are
 * matched by the normalised path. Otherwise an upstream that normalises paths could be sent a path past the settings of
 * its route.
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
 * Returns the other paths as which a server may read a path: with or without a trailing slash, with encoded slashes
 * decoded, without parameters of segments (RFC 3986, section 3.3).
 *
 * @param path A normalized path.
 */
export function spellingsOf(path: string): string[] {
  const mayDiffer = path.includes("%") || path.includes(";");
  const bare = mayDiffer ? normalPath(path.replace(ENCODED_SLASH, "/").replace(SEGMENT_PARAMETERS, "")) : path;
  const all = new Set([toggleTrailingSlash(path), bare, toggleTrailingSlash(bare)]);
  return [...all].flatMap((other) => other === undefined || other === path ? [] : [other]);
}
