/**
 * Explains a text that is neither JSON nor YAML: all its syntax errors, and what can be understood all the same. Apart
 * from source.ts because its parser is large and a sound definition never needs it.
 *
 * @module
 */
import { type Document, isNode, parseDocument as parseYaml } from "yaml";
import { parsePointer } from "./pointer.ts";
import type { Place } from "./position.ts";

/** What could be understood of a broken text. */
export interface BrokenYaml {
  /** The values that could be read; `undefined` when none could. */
  value: unknown;
  /** The syntax errors, each with its offset in the text; none when this parser finds nothing wrong. */
  errors: { message: string; offset: number }[];
  /** As in a sound text: the offset of each place, or of its nearest parent. */
  locate: (places: readonly Place[]) => number[];
}

/**
 * Reads as much of a broken YAML text as can be read.
 *
 * @returns `undefined` when the parser can't: the text is nested too deep for it, or it may not read the environment,
 * in which it looks for a switch of its own.
 */
export function readBrokenYaml(text: string): BrokenYaml | undefined {
  const document = parse(text);
  return document && {
    value: valueOf(),
    errors: document.errors.map((error) => ({ message: error.message, offset: error.pos[0] })),
    locate: (places) => places.map((place) => offsetOf(parsePointer(place.pointer))),
  };

  function valueOf(): unknown {
    try {
      return document?.toJS({ maxAliasCount: 100 });
    } catch {
      // Unresolved aliases, or more of them than a sound definition has: the syntax errors say enough.
      return undefined;
    }
  }

  function offsetOf(tokens: string[]): number {
    const node = tokens.length === 0 ? document?.contents : document?.getIn(tokens, true);
    if (isNode(node) && node.range) return node.range[0];
    return tokens.length === 0 ? 0 : offsetOf(tokens.slice(0, -1));
  }
}

function parse(text: string): Document.Parsed | undefined {
  try {
    return parseYaml(text, { merge: true, prettyErrors: false, logLevel: "silent" });
  } catch {
    return undefined;
  }
}
