/**
 * Explains a text that is neither JSON nor YAML: finds its syntax errors, and the values that can be read. The parser
 * for such a text is large, so this module is imported only when it is needed.
 *
 * @module
 */
import { type Document, isNode, parseDocument as parseYaml, type YAMLParseError } from "yaml";
import { parsePointer } from "../../schema/json/pointer.ts";
import type { Place } from "../../schema/json/source.ts";
import { createLineIndex } from "./position.ts";

/** The readable values of a broken text, and its syntax errors. */
export interface BrokenYaml {
  /** The values that could be read; `undefined` if none could. */
  value: unknown;
  /**
   * The syntax errors, each with its offset in the text. The list is empty if this parser, unlike the first one, finds
   * none.
   */
  errors: { message: string; offset: number }[];
  /**
   * Finds the offset of each place. If the text has no such place, this is the offset of the nearest enclosing value.
   */
  locate: (places: readonly Place[]) => number[];
}

/**
 * Reads as much as possible of a broken YAML text.
 *
 * @returns `undefined` when the parser throws: the text is nested too deep, or the process may not read the environment
 * variables that the parser looks up.
 */
export function readBrokenYaml(text: string): BrokenYaml | undefined {
  const document = parse(text);
  return document && {
    value: valueOf(),
    errors: withoutConsequences(text, document.errors).map(({ message, pos: [offset] }) => ({
      message: explainUnmatchedBracket(message),
      offset,
    })),
    locate: (places) => places.map((place) => offsetOf(parsePointer(place.pointer))),
  };

  function valueOf(): unknown {
    try {
      return document?.toJS({ maxAliasCount: 100 });
    } catch {
      // There is no value if the parser throws: for an alias without anchor, or aliases that expand to too many values.
      return undefined;
    }
  }

  function offsetOf(tokens: string[]): number {
    const node = tokens.length === 0 ? document?.contents : document?.getIn(tokens, true);
    if (isNode(node) && node.range) return node.range[0];
    return tokens.length === 0 ? 0 : offsetOf(tokens.slice(0, -1));
  }
}

/**
 * Codes of errors that are often consequences of an earlier error, such as an unclosed bracket. They are reported only
 * as the first error of a text.
 */
const CONSEQUENCES = new Set<string>([
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "KEY_OVER_1024_CHARS",
  "MULTILINE_IMPLICIT_KEY",
]);

/**
 * After an unmatched bracket the parser ignores the structure of the text and reports each later token with this
 * message. Only the first of these errors is reported.
 */
const AFTER_UNMATCHED_BRACKET = /^Unexpected \S+ token in YAML stream/;

/** Keeps the first error of each line, without the consequences of errors in earlier lines. */
function withoutConsequences(text: string, errors: readonly YAMLParseError[]): YAMLParseError[] {
  const position = createLineIndex(text);
  const lines = new Set<number>();
  let isAfterUnmatchedBracket = false;
  return errors.filter(({ code, message, pos: [offset] }, index) => {
    const { line } = position(offset);
    const isConsequence = (index > 0 && CONSEQUENCES.has(code)) ||
      (isAfterUnmatchedBracket && AFTER_UNMATCHED_BRACKET.test(message));
    isAfterUnmatchedBracket ||= AFTER_UNMATCHED_BRACKET.test(message);
    if (lines.has(line) || isConsequence) return false;
    lines.add(line);
    return true;
  });
}

/** Rewrites the parser's message about an unmatched bracket, which contains terms of the parser. */
function explainUnmatchedBracket(message: string): string {
  return message.replace(/^Unexpected flow-(?:map|seq)-end token in YAML stream: "(.)"$/, "This $1 closes nothing");
}

function parse(text: string): Document.Parsed | undefined {
  try {
    return parseYaml(text, { merge: true, prettyErrors: false, logLevel: "silent" });
  } catch {
    return undefined;
  }
}
