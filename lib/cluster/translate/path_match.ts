import { isConcrete, type PathPattern, type Segment } from "./path_pattern.ts";

/** Which paths a rule takes (Gateway API, HTTPPathMatch). */
export interface PathMatch {
  type: "Exact" | "PathPrefix" | "RegularExpression";
  value: string;
}

/** The longest value of a match, in characters. */
export const LONGEST_PATH = 1024;

/** What a path has as it is (RFC 3986, `pchar`); all else is percent-encoded. */
const PLAIN = /[-A-Za-z0-9._~!$&'()*+,;=:@]/;

/** What a path may have as it is or percent-encoded (RFC 3986, `sub-delims` and the rest of `pchar`). */
const EITHER = /[!$&'()*+,;=:@]/;

/** Characters that mean something in a regular expression. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** Text after the end of a regular expression that makes it longer and changes nothing. */
const PADDING = "(?:)";

/** A path that is always written in the same way: gateways decode what need not be encoded. */
export const UNAMBIGUOUS = /^(?:[-A-Za-z0-9._~/]|%[0-9]{2})*$/;

/**
 * What is written for a pattern: a path as it is where there are no templates, else a regular expression. Where a path may
 * be written in several ways, `@` as `%40`, `%C3` as `%c3`, only a regular expression takes all of them.
 */
export function matchOf(pattern: PathPattern): PathMatch {
  if (pattern.isPrefix) return { type: "PathPrefix", value: pathOf(pattern) };
  const path = isConcrete(pattern) ? pathOf(pattern) : undefined;
  if (path !== undefined && UNAMBIGUOUS.test(path)) return { type: "Exact", value: path };
  return { type: "RegularExpression", value: `^/${pattern.segments.map(expressionOf).join("/")}$` };
}

/**
 * The match of a path with either end, for a rule that goes after all others. Without `^` and `$`, which Envoy implies,
 * it is no longer than that of {@linkcode matchOf}, so that Envoy Gateway asks a rule with a method first.
 *
 * @param pattern A pattern without a slash at its end.
 */
export function eitherEndMatchOf({ segments }: PathPattern): PathMatch {
  const [first] = segments;
  if (segments.length === 1 && first?.kind === "literal" && first.text === "") return { type: "Exact", value: "/" };
  return { type: "RegularExpression", value: `/${segments.map(expressionOf).join("/")}/?` };
}

/** The same match, longer by so many steps: Envoy Gateway asks the longer of two regular expressions first. */
export function padded({ type, value }: PathMatch, steps: number): PathMatch {
  return { type, value: value + PADDING.repeat(steps) };
}

/** How much longer each step makes a match. */
export const STEP = PADDING.length;

/** Why no request can have a path of the pattern, or none that a rule could tell. */
export function unreachableReason({ segments, isPrefix }: PathPattern): string | undefined {
  const texts = segments.flatMap((segment) => segment.kind === "literal" ? [segment.text] : []);
  if (texts.some((text) => text === "." || text === "..")) return "gateways resolve the segments `.` and `..`";
  if (texts.slice(0, -1).includes("")) return "gateways make one slash of several";
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

/** What takes a text in each way in which a path may have it. */
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

/** Percent-encodes all that a path can't have as it is. */
function encode(text: string): string {
  let encoded = "";
  for (const character of text) encoded += PLAIN.test(character) ? character : percentEncode(character);
  return encoded;
}

function percentEncode(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** The digits of percent-encoding may be in upper or lower case. */
function anyCase(encoded: string): string {
  return encoded.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
}
