import type { Node } from "../../schema/node.ts";
import type { RuleCode } from "../rules.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";

/** As many problems as anybody reads: a hostile text can have far more. */
export const MOST_PROBLEMS = 10_000;

/** Something that breaks a rule, at a value. */
export function error(code: RuleCode, message: string, { source, pointer }: Node): UnlocatedDiagnostic {
  return { severity: "error", code, message, source, pointer };
}

/** Something that can be meant so and seldom is, at a value. */
export function warning(code: RuleCode, message: string, { source, pointer }: Node): UnlocatedDiagnostic {
  return { severity: "warning", code, message, source, pointer };
}

/** The same problem, seen at the key that the value stands under. */
export function atKey(diagnostic: UnlocatedDiagnostic): UnlocatedDiagnostic {
  return { ...diagnostic, atKey: true };
}

/** What is found at each of some things, until it is more than is told. */
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
