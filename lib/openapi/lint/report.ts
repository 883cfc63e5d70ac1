import type { Node } from "../../schema/json/node.ts";
import type { RuleCode } from "../rules.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { suggest } from "../../http/message.ts";

/** Limit of the diagnostics of one definition. Without it, a hostile text could cause far more. */
export const MOST_PROBLEMS = 10_000;

export function error(code: RuleCode, message: string, { source, pointer }: Node): UnlocatedDiagnostic {
  return { severity: "error", code, message, source, pointer };
}

export function warning(code: RuleCode, message: string, { source, pointer }: Node): UnlocatedDiagnostic {
  return { severity: "warning", code, message, source, pointer };
}

/** Changes a diagnostic so that it is about the key, rather than the value. */
export function atKey(diagnostic: UnlocatedDiagnostic): UnlocatedDiagnostic {
  return { ...diagnostic, atKey: true };
}

/** Collects the diagnostics of each thing in a list. Stops when there are more than `most`. */
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

/** Suggests known names for a misspelt one. */
export type Suggestion = (
  name: string,
  candidates: Iterable<string> | Readonly<Record<string, unknown>>,
) => string | undefined;

/** Budget of comparisons between names, for all suggestions of one check. */
const MOST_COMPARISONS = 100_000;

/** Makes a function that suggests names. When its budget is spent, it suggests nothing. */
export function createSuggestion(): Suggestion {
  let comparisons = MOST_COMPARISONS;
  return (name, candidates) => {
    if (comparisons <= 0) return undefined;
    const names = Symbol.iterator in candidates ? [...candidates] : Object.keys(candidates);
    comparisons -= names.length;
    return suggest(name, names)[0];
  };
}
