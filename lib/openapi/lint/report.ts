import type { Node } from "../../schema/node.ts";
import type { RuleCode } from "../rules.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { suggest } from "../../http/message.ts";

/** The most diagnostics that are reported of a definition: a hostile text can have far more. */
export const MOST_PROBLEMS = 10_000;

/** An error at a value. */
export function error(code: RuleCode, message: string, { source, pointer }: Node): UnlocatedDiagnostic {
  return { severity: "error", code, message, source, pointer };
}

/** A warning at a value. */
export function warning(code: RuleCode, message: string, { source, pointer }: Node): UnlocatedDiagnostic {
  return { severity: "warning", code, message, source, pointer };
}

/** The same diagnostic, at the key of the value. */
export function atKey(diagnostic: UnlocatedDiagnostic): UnlocatedDiagnostic {
  return { ...diagnostic, atKey: true };
}

/** Collects the diagnostics of each thing in a list, and stops when there are more than `most`. */
export function findAtEach<Thing>(
  things: Iterable<Thing>,
  find: (thing: Thing) => UnlocatedDiagnostic | readonly UnlocatedDiagnostic[],
  most: number = MOST_PROBLEMS,
): UnlocatedDiagnostic[] {
  const diagnostics: UnlocatedDiagnostic[] = [];
  for (const thing of things) {
    if (diagnostics.length > most) break;
    diagnostics.push(...[find(thing)].flat());
  }
  return diagnostics;
}

/** Suggests one of some names, or one of the keys of an object, for a misspelt name. */
export type Suggestion = (
  name: string,
  candidates: Iterable<string> | Readonly<Record<string, unknown>>,
) => string | undefined;

/** Limit of the comparisons of names for all suggestions of one check. */
const MOST_COMPARISONS = 100_000;

/** Suggests names until the comparisons are used up; after that, suggests nothing. */
export function createSuggestion(): Suggestion {
  let comparisons = MOST_COMPARISONS;
  return (name, candidates) => {
    if (comparisons <= 0) return undefined;
    const names = Symbol.iterator in candidates ? [...candidates] : Object.keys(candidates);
    comparisons -= names.length;
    return suggest(name, names)[0];
  };
}
