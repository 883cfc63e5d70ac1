/**
 * Translates path patterns to path matches of the Gateway API: an exact path, a prefix, or a regular expression of RE2.
 *
 * @module
 */
import { isConcrete, type PathPattern, type PatternSegment } from "./path_pattern.ts";

/** A path match (Gateway API, `HTTPPathMatch`). */
export interface PathMatch {
  type: "Exact" | "PathPrefix" | "RegularExpression";
  value: string;
}

/** The maximum length of a path match, in characters (Gateway API). */
export const LONGEST_PATH = 1024;

/** Matches a character that a path may have unencoded (RFC 3986, `pchar`). All others must be percent-encoded. */
const UNENCODED = /[-A-Za-z0-9._~!$&'()*+,;=:@]/;

/** Matches a character that clients may percent-encode or not (RFC 3986, `sub-delims`, `:` and `@`). */
const OPTIONALLY_ENCODED = /[!$&'()*+,;=:@]/;

/** Matches the metacharacters of regular expressions. */
const METACHARACTERS = /[.*+?^${}()|[\]\\]/g;

/** A group that matches nothing. It makes a regular expression longer without a change of what it matches. */
const PADDING = "(?:)";

/**
 * Matches a path with only one notation, so that an exact match is enough. Gateways decode percent-encoding that isn't
 * necessary.
 */
export const UNAMBIGUOUS = /^(?:[-A-Za-z0-9._~/]|%[0-9]{2})*$/;

/**
 * Returns the path match of a pattern. It is `Exact` if the pattern has no templates and its path has only one
 * notation. Otherwise it is a regular expression: `@` may also be written `%40`, and `%C3` may be `%c3`.
 */
export function matchOf(pattern: PathPattern): PathMatch {
  if (pattern.isPrefix) return { type: "PathPrefix", value: pathOf(pattern) };
  const path = isConcrete(pattern) ? pathOf(pattern) : undefined;
  if (path !== undefined && UNAMBIGUOUS.test(path)) return { type: "Exact", value: path };
  return { type: "RegularExpression", value: `^/${pattern.segments.map(expressionOf).join("/")}$` };
}

/**
 * Returns a path match for a path with and without a trailing slash, for a rule without a method that must have the
 * lowest precedence.
 *
 * Of two rules with regular expressions of equal length, Envoy Gateway prefers the rule with a method. So this
 * expression must not be longer than that of {@linkcode matchOf}: it omits `^` and `$`, which Envoy implies.
 *
 * @param pattern A pattern without a trailing slash.
 */
export function eitherEndMatchOf({ segments }: PathPattern): PathMatch {
  const [first] = segments;
  if (segments.length === 1 && first?.kind === "literal" && first.text === "") return { type: "Exact", value: "/" };
  return { type: "RegularExpression", value: `/${segments.map(expressionOf).join("/")}/?` };
}

/**
 * Raises the precedence of a path match by appending empty groups. Of two regular expressions, Envoy Gateway prefers
 * the longer one.
 */
export function padded({ type, value }: PathMatch, steps: number): PathMatch {
  return { type, value: value + PADDING.repeat(steps) };
}

/** The number of characters by which {@linkcode padded} lengthens an expression in each step. */
export const STEP = PADDING.length;

/**
 * Returns the reason why no request can match a pattern; `undefined` if there is none. Gateways normalise a path before
 * they match it, for instance resolve `..`.
 */
export function unreachableReason({ segments, isPrefix }: PathPattern): string | undefined {
  const texts = segments.flatMap((segment) => segment.kind === "literal" ? [segment.text] : []);
  if (texts.some((text) => text === "." || text === "..")) return "gateways resolve the segments `.` and `..`";
  if (texts.slice(0, -1).includes("")) return "gateways merge repeated slashes";
  if (isPrefix && texts.some((text) => text.includes("/"))) return "a prefix can't contain an encoded slash";
  return undefined;
}

/** Returns the path of a pattern without templates, percent-encoded. */
export function pathOf({ segments }: PathPattern): string {
  return `/${segments.map((segment) => segment.kind === "literal" ? encode(segment.text) : "").join("/")}`;
}

/** Returns a regular expression for all percent-encoded notations of a segment. */
export function expressionOf(segment: PatternSegment): string {
  switch (segment.kind) {
    case "literal":
      return expressionOfText(segment.text);
    case "mixed":
      return segment.texts.map(expressionOfText).join("[^/]+");
    case "any":
      return "[^/]+";
  }
}

/** Returns a regular expression for all percent-encoded notations of a text. */
function expressionOfText(text: string): string {
  let expression = "";
  for (const character of text) {
    const plain = character.replace(METACHARACTERS, "\\$&");
    if (!UNENCODED.test(character)) expression += anyCase(percentEncode(character));
    else if (OPTIONALLY_ENCODED.test(character)) expression += `(?:${plain}|${anyCase(percentEncode(character))})`;
    else expression += plain;
  }
  return expression;
}

/** Percent-encodes the characters that a path can't have unencoded. */
function encode(text: string): string {
  let encoded = "";
  for (const character of text) encoded += UNENCODED.test(character) ? character : percentEncode(character);
  return encoded;
}

function percentEncode(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** Returns a regular expression for a percent-encoded text with hexadecimal digits in upper or lower case. */
function anyCase(encoded: string): string {
  return encoded.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
}
