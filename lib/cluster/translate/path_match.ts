/**
 * Path patterns as matches of the Gateway API: an exact path, a prefix, or a regular expression of RE2.
 *
 * @module
 */
import { isConcrete, type PathPattern, type Segment } from "./path_pattern.ts";

/** The path of a match (Gateway API, `HTTPPathMatch`). */
export interface PathMatch {
  type: "Exact" | "PathPrefix" | "RegularExpression";
  value: string;
}

/** The maximum length of a path match, in characters. */
export const LONGEST_PATH = 1024;

/** Characters that a path can have unencoded (RFC 3986, `pchar`). All others are percent-encoded. */
const PLAIN = /[-A-Za-z0-9._~!$&'()*+,;=:@]/;

/** Characters that clients may percent-encode or leave as they are (RFC 3986, `sub-delims`, `:` and `@`). */
const EITHER = /[!$&'()*+,;=:@]/;

/** Metacharacters of regular expressions. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** An empty group: it makes a regular expression longer, and doesn't change what the expression matches. */
const PADDING = "(?:)";

/**
 * A path that can be written in one way only, so that comparing text is enough to match it. Gateways decode
 * percent-encoding that isn't necessary.
 */
export const UNAMBIGUOUS = /^(?:[-A-Za-z0-9._~/]|%[0-9]{2})*$/;

/**
 * The match of a pattern: `Exact` for a pattern without templates, else a regular expression. A path with several
 * notations, such as `@` and `%40`, or `%C3` and `%c3`, is a regular expression too, because an exact match is for one
 * notation only.
 */
export function matchOf(pattern: PathPattern): PathMatch {
  if (pattern.isPrefix) return { type: "PathPrefix", value: pathOf(pattern) };
  const path = isConcrete(pattern) ? pathOf(pattern) : undefined;
  if (path !== undefined && UNAMBIGUOUS.test(path)) return { type: "Exact", value: path };
  return { type: "RegularExpression", value: `^/${pattern.segments.map(expressionOf).join("/")}$` };
}

/**
 * The match of a path with and without a trailing slash, for a rule without a method that must have the lowest
 * precedence. So the regular expression must not be longer than that of {@linkcode matchOf}: of two rules with
 * expressions of the same length, Envoy Gateway prefers the one with a method. Therefore the expression omits `^` and
 * `$`, which Envoy implies.
 *
 * @param pattern A pattern without a trailing slash.
 */
export function eitherEndMatchOf({ segments }: PathPattern): PathMatch {
  const [first] = segments;
  if (segments.length === 1 && first?.kind === "literal" && first.text === "") return { type: "Exact", value: "/" };
  return { type: "RegularExpression", value: `/${segments.map(expressionOf).join("/")}/?` };
}

/**
 * Appends empty groups to a match, to raise its precedence: Envoy Gateway prefers the longer of two regular
 * expressions.
 */
export function padded({ type, value }: PathMatch, steps: number): PathMatch {
  return { type, value: value + PADDING.repeat(steps) };
}

/** The number of characters that each step of {@linkcode padded} adds. */
export const STEP = PADDING.length;

/**
 * The reason why no request can match the pattern; `undefined` if there is none. Gateways normalize a path before they
 * match it: they resolve `..`, for instance.
 */
export function unreachableReason({ segments, isPrefix }: PathPattern): string | undefined {
  const texts = segments.flatMap((segment) => segment.kind === "literal" ? [segment.text] : []);
  if (texts.some((text) => text === "." || text === "..")) return "gateways resolve the segments `.` and `..`";
  if (texts.slice(0, -1).includes("")) return "gateways merge repeated slashes";
  if (isPrefix && texts.some((text) => text.includes("/"))) return "a prefix can't contain an encoded slash";
  return undefined;
}

function pathOf({ segments }: PathPattern): string {
  return `/${segments.map((segment) => segment.kind === "literal" ? encode(segment.text) : "").join("/")}`;
}

function expressionOf(segment: Segment): string {
  switch (segment.kind) {
    case "literal":
      return expressionOfText(segment.text);
    case "mixed":
      return segment.texts.map(expressionOfText).join("[^/]+");
    case "any":
      return "[^/]+";
  }
}

/** A regular expression that matches a text in all its percent-encoded notations. */
function expressionOfText(text: string): string {
  let expression = "";
  for (const character of text) {
    const plain = character.replace(SPECIAL, "\\$&");
    if (!PLAIN.test(character)) expression += anyCase(percentEncode(character));
    else if (EITHER.test(character)) expression += `(?:${plain}|${anyCase(percentEncode(character))})`;
    else expression += plain;
  }
  return expression;
}

/** Percent-encodes the characters that a path can't have unencoded. */
function encode(text: string): string {
  let encoded = "";
  for (const character of text) encoded += PLAIN.test(character) ? character : percentEncode(character);
  return encoded;
}

function percentEncode(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** A regular expression for percent-encoding with digits in upper or lower case. */
function anyCase(encoded: string): string {
  return encoded.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
}
