/**
 * The path of a request, as a gateway normalises it before anything else reads it, and the other paths as which a
 * server may read it.
 *
 * @module
 */

/** Matches a path that may not be normal: percent-encoding, a backslash, or a segment that starts with a dot. */
const UNUSUAL = /[%\\]|\/\./;

/** Matches an encoded unreserved character: a letter, a digit, `-`, `.`, `_` or `~` (RFC 3986, section 2.3). */
const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|[46][1-9A-F]|5[0-9AF]|7[0-9AE])/gi;

/**
 * A regular expression, in the syntax that RE2 and ECMAScript share, for a normal path that is refused because a server
 * may resolve it to another path. Decoded once or twice, such a path has a dot segment between slashes or backslashes
 * (`..%2F`, `%252e%252e`), a dot segment with parameters, a query or a fragment (`..;x`, `..%3F`), or a NUL character.
 */
export const UNSAFE = unsafeExpression();

const UNSAFE_PATH = new RegExp(UNSAFE);

/** Matches the characters by which servers divide a path differently: encoded slashes, and parameters of segments. */
const DIVISIVE = /;|%(?:2f|5c|3b)/i;

const ENCODED_SLASH = /%2f|%5c/gi;
const SEGMENT_PARAMETERS = /(?:;|%3b)[^/]*/gi;

/**
 * Normalises the path of a request, as Envoy does: decodes unreserved characters once (RFC 3986, section 6.2.2.2),
 * replaces backslashes by slashes, and resolves dot segments. All other percent-encoding stays as it is, such as `%2F`,
 * which doesn't divide segments.
 *
 * Routes are found by the normal path, and everything after the gateway gets it: rewrites, authorization servers and
 * upstreams. Otherwise a request could bypass the settings of its route.
 *
 * @param written Path of a request, with its percent-encoding.
 * @returns `undefined` for a path that must be refused, since a server may resolve it to another path: `/a/..%2Fb`.
 */
export function normalPath(written: string): string | undefined {
  if (!UNUSUAL.test(written)) return written;
  const decoded = written.includes("%") ? written.replace(ENCODED_UNRESERVED, decodeByte) : written;
  const path = withoutDotSegments(decoded.replaceAll("\\", "/"));
  return UNSAFE_PATH.test(path) ? undefined : path;
}

function decodeByte(encoded: string): string {
  return String.fromCharCode(parseInt(encoded.slice(1), 16));
}

/** Resolves dot segments (RFC 3986, section 5.2.4). */
function withoutDotSegments(path: string): string {
  if (!path.includes("/.")) return path;
  const resolved: string[] = [];
  const segments = path.slice(1).split("/");
  for (const [index, segment] of segments.entries()) {
    const isDots = segment === "." || segment === "..";
    if (segment === "..") resolved.pop();
    if (!isDots) resolved.push(segment);
    else if (index === segments.length - 1) resolved.push("");
  }
  return `/${resolved.join("/")}`;
}

/** Replaces several slashes in a row by one. */
export function withoutEmptySegments(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/**
 * Adds a trailing slash to a path, or removes it: many clients and servers treat both paths as equal. `undefined` for
 * `/`.
 */
export function toggleTrailingSlash(path: string): string | undefined {
  if (!path.endsWith("/")) return `${path}/`;
  return path === "/" ? undefined : path.slice(0, -1);
}

/** Tells whether servers may divide a path into segments differently: it has encoded slashes, or parameters. */
export function isDivisive(path: string): boolean {
  return (path.includes("%") || path.includes(";")) && DIVISIVE.test(path);
}

/**
 * Returns the other paths as which a server may read a path: with encoded slashes decoded, without parameters of
 * segments (RFC 3986, section 3.3), or both; each with its trailing slash added or removed, too.
 *
 * @param path A normal path, for which {@linkcode isDivisive} is true. Other paths have no other readings.
 */
export function otherReadings(path: string): string[] {
  const decoded = path.replace(ENCODED_SLASH, "/");
  const readings = [decoded, path.replace(SEGMENT_PARAMETERS, ""), decoded.replace(SEGMENT_PARAMETERS, "")];
  const merged = new Set(readings.map(withoutEmptySegments));
  merged.delete(path);
  const all = new Set([...merged].flatMap((reading) => [reading, toggleTrailingSlash(reading) ?? reading]));
  return [...all].filter((reading) => reading !== path);
}

function unsafeExpression(): string {
  // A normal path has no encoded letters and digits. So a character that is encoded twice has one form: `%252e`.
  const encoded = (...codes: string[]): string => `%(?:25)?(?:${codes.join("|")})`;
  const slash = ["2[Ff]", "5[Cc]"];
  const [semicolon, question, hash] = ["3[Bb]", "3[Ff]", "23"];
  const dots = `(?:[.]|${encoded("2[Ee]")}){1,2}`;
  const end = `(?:[/;]|${encoded(...slash, semicolon, question, hash)}|$)`;
  return `(?:/|${encoded(...slash)})${dots}${end}|${encoded("00")}`;
}
