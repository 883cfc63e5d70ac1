/**
 * Explains a text that is neither JSON nor YAML: its syntax errors, and the values that can be read. A file of its own,
 * so that its large parser is loaded only for broken texts.
 *
 * @module
 */
import { type Document, isNode, parseDocument as parseYaml, type YAMLParseError } from "yaml";
import { parsePointer } from "../schema/pointer.ts";
import type { Place } from "../schema/source.ts";
import { createLineIndex } from "./position.ts";

/** A broken text, as far as the parser can read it. */
export interface BrokenYaml {
  /** The values that could be read; `undefined` when none could. */
  value: unknown;
  /** The syntax errors, each with its offset in the text; none when this parser finds nothing wrong. */
  errors: { message: string; offset: number }[];
  /** The offset of each place; that of its nearest parent where the text has no such place. */
  locate: (places: readonly Place[]) => number[];
}

/**
 * Reads as much of a broken YAML text as can be read.
 *
 * @returns `undefined` when the parser fails: the text is nested too deep, or the process may not read the environment
 * variables that the parser looks for.
 */
export function readBrokenYaml(text: string): BrokenYaml | undefined {
  const document = parse(text);
  return document && {
    value: valueOf(),
    errors: withoutConsequences(text, document.errors).map(({ message, pos: [offset] }) => ({
      message: inPlain(message),
      offset,
    })),
    locate: (places) => places.map((place) => offsetOf(parsePointer(place.pointer))),
  };

  function valueOf(): unknown {
    try {
      return document?.toJS({ maxAliasCount: 100 });
    } catch {
      // An alias has no anchor, or the aliases expand to too much. The syntax errors are reported without a value.
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
 * Codes of errors that often follow from an earlier error, such as an unclosed bracket. They are reported only if they
 * come first.
 */
const CONSEQUENCES = new Set<string>([
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "KEY_OVER_1024_CHARS",
  "MULTILINE_IMPLICIT_KEY",
]);

/**
 * The parser takes an unmatched bracket for the end of the text, and reports each later token with this message. Only
 * the first of these errors is reported.
 */
const LOST = /^Unexpected \S+ token in YAML stream/;

/** The first error of each line, except errors that follow from an error in an earlier line. */
function withoutConsequences(text: string, errors: readonly YAMLParseError[]): YAMLParseError[] {
  const position = createLineIndex(text);
  const lines = new Set<number>();
  let isLost = false;
  return errors.filter(({ code, message, pos: [offset] }, index) => {
    const { line } = position(offset);
    const isConsequence = (index > 0 && CONSEQUENCES.has(code)) || (isLost && LOST.test(message));
    isLost ||= LOST.test(message);
    if (lines.has(line) || isConsequence) return false;
    lines.add(line);
    return true;
  });
}

/** The message of an unmatched bracket, without the parser's own terms. */
function inPlain(message: string): string {
  return message.replace(/^Unexpected flow-(?:map|seq)-end token in YAML stream: "(.)"$/, "This $1 closes nothing");
}

function parse(text: string): Document.Parsed | undefined {
  try {
    return parseYaml(text, { merge: true, prettyErrors: false, logLevel: "silent" });
  } catch {
    return undefined;
  }
}
