/**
 * Path patterns (templates and prefixes), with functions that tell whether patterns overlap and which takes precedence.
 *
 * @module
 */
import type { PlannedPath } from "../../gateway/route.ts";
import { percentDecode } from "../../http/url/url.ts";

/** A segment of a path template. Its texts are percent-decoded. */
export type PatternSegment =
  | { kind: "literal"; text: string }
  /** A segment with text and templates. `["report.", ""]` are the texts of `report.{format}`. */
  | { kind: "mixed"; texts: readonly string[] }
  | { kind: "any" };

/** The paths that a route matches: a template, or a prefix. */
export interface PathPattern {
  readonly segments: readonly PatternSegment[];
  /** Whether paths below the segments match, too. */
  readonly isPrefix: boolean;
  /** The path with `{}` for each parameter. Patterns that match the same paths have equal shapes. */
  readonly shape: string;
}

const ANY: PatternSegment = { kind: "any" };

/** Returns the pattern of a route's path. */
export function patternOf(path: PlannedPath): PathPattern {
  if (path.kind === "prefix") return prefixPattern(path.prefix);
  return templatePattern(path.template.slice(1).split("/").map(readSegment));
}

/** Returns the pattern of a prefix. A prefix has no templates. */
export function prefixPattern(prefix: string): PathPattern {
  const segments = prefix === "/" ? [] : prefix.slice(1).split("/").map(literal);
  return { segments, isPrefix: true, shape: `/${segments.map(shapeOf).join("/")}/*` };
}

/** Returns the pattern without its trailing slash. */
export function withoutFinalSlash(pattern: PathPattern): PathPattern {
  const { segments, isPrefix } = pattern;
  const last = segments.at(-1);
  if (isPrefix || segments.length < 2 || last?.kind !== "literal" || last.text !== "") return pattern;
  return templatePattern(segments.slice(0, -1));
}

/** Returns the pattern with a trailing slash. */
export function withFinalSlash({ segments }: PathPattern): PathPattern {
  return templatePattern([...segments, { kind: "literal", text: "" }]);
}

function templatePattern(segments: readonly PatternSegment[]): PathPattern {
  return { segments, isPrefix: false, shape: `/${segments.map(shapeOf).join("/")}` };
}

function readSegment(written: string): PatternSegment {
  const parts = written.split(/\{[^{}]+\}/);
  if (parts.length === 1) return literal(written);
  if (parts.length === 2 && parts.every((part) => part === "")) return ANY;
  return { kind: "mixed", texts: parts.map(percentDecode) };
}

function literal(written: string): PatternSegment {
  return { kind: "literal", text: percentDecode(written) };
}

function shapeOf(segment: PatternSegment): string {
  switch (segment.kind) {
    case "literal":
      return encoded(segment.text);
    case "mixed":
      return segment.texts.map(encoded).join("{}");
    case "any":
      return "{}";
  }
}

/** Tells whether a pattern has no templates, so that it matches one path only. */
export function isConcrete({ segments }: PathPattern): boolean {
  return segments.every(({ kind }) => kind === "literal");
}

/**
 * Tells whether some path matches both patterns. The answer may be `true` by mistake for two segments that have text
 * and templates.
 */
export function overlaps(a: PathPattern, b: PathPattern): boolean {
  const [short, long] = a.segments.length <= b.segments.length ? [a, b] : [b, a];
  if (short.segments.length !== long.segments.length && !short.isPrefix) return false;
  return short.segments.every((segment, index) => {
    const other = long.segments[index];
    return other !== undefined && segmentsOverlap(segment, other);
  });
}

function segmentsOverlap(a: PatternSegment, b: PatternSegment): boolean {
  if (a.kind === "any") return b.kind !== "literal" || b.text !== "";
  if (b.kind === "any") return segmentsOverlap(b, a);
  if (a.kind === "literal") return b.kind === "literal" ? a.text === b.text : fits(a.text, b.texts);
  if (b.kind === "literal") return fits(b.text, a.texts);
  return agree(a.texts.at(0), b.texts.at(0), "start") && agree(a.texts.at(-1), b.texts.at(-1), "end");
}

/** Tells whether a text matches a segment with text and templates. Each template matches at least one character. */
function fits(text: string, texts: readonly string[]): boolean {
  const [first = "", ...rest] = texts;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const next = text.indexOf(part, at + 1);
    if (next === -1) return false;
    at = next + part.length;
  }
  return at < text.length - last.length;
}

function agree(a = "", b = "", end: "start" | "end"): boolean {
  return end === "start" ? a.startsWith(b) || b.startsWith(a) : a.endsWith(b) || b.endsWith(a);
}

/**
 * Compares patterns by precedence (OpenAPI 3.1, section 4.8.8). The first segment of different rank decides: a literal
 * precedes text with templates, and this a lone template. A template precedes a prefix.
 *
 * @returns A negative number if `a` has precedence.
 */
export function compareSpecificity(a: PathPattern, b: PathPattern): number {
  if (a.isPrefix !== b.isPrefix) return a.isPrefix ? 1 : -1;
  if (a.isPrefix) return b.segments.length - a.segments.length;
  for (const [index, segment] of a.segments.entries()) {
    const order = rankOf(segment) - rankOf(b.segments[index] ?? ANY);
    if (order !== 0) return order;
  }
  return a.shape < b.shape ? -1 : a.shape > b.shape ? 1 : 0;
}

/** Ranks a segment: literals first, then text with templates (more text first), then lone templates. */
function rankOf(segment: PatternSegment): number {
  switch (segment.kind) {
    case "literal":
      return 0;
    case "mixed":
      return 1 + 1 / (2 + segment.texts.join("").length);
    case "any":
      return 3;
  }
}

/**
 * Percent-encodes a text. Lone surrogates, which JSON allows (`"\ud800"`), are replaced, because they can't be encoded.
 */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
