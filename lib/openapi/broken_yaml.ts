/**
 * Explains a text that is neither JSON nor YAML: all its syntax errors, and the values that can be read. Apart from
 * source.ts because its parser is large and a valid text never needs it.
 *
 * @module
 */
import { type Document, isNode, parseDocument as parseYaml, type YAMLParseError } from "yaml";
import { parsePointer } from "../schema/pointer.ts";
import type { Place } from "../schema/source.ts";
import { createLineIndex } from "./position.ts";

/** The readable parts of a broken text. */
export interface BrokenYaml {
  /** The values that could be read; `undefined` when none could. */
  value: unknown;
  /** The syntax errors, each with its offset in the text; none when this parser finds nothing wrong. */
  errors: { message: string; offset: number }[];
  /** The offset of each place, or of its nearest parent. */
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
      // Unresolved aliases, or more of them than a valid definition has. The syntax errors are reported anyway.
      return undefined;
    }
  }

  function offsetOf(tokens: string[]): number {
    const node = tokens.length === 0 ? document?.contents : document?.getIn(tokens, true);
    if (isNode(node) && node.range) return node.range[0];
    return tokens.length === 0 ? 0 : offsetOf(tokens.slice(0, -1));
  }
}

/** Errors that a parser reports as consequences of an earlier one, such as a bracket that isn't closed. */
const CONSEQUENCES = new Set<string>([
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "KEY_OVER_1024_CHARS",
  "MULTILINE_IMPLICIT_KEY",
]);

/** The error of each token after the end of a YAML stream: an unmatched bracket ends the stream for the parser. */
const LOST = /^Unexpected \S+ token in YAML stream/;

/** The first error, and the others that are no consequences of an earlier error. */
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
