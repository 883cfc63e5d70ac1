import type { Node } from "../../schema/node.ts";
import type { RuleCode } from "../rules.ts";
import type { Finding } from "../source.ts";

/** As many problems as anybody reads: a hostile text can have far more. */
export const MOST_PROBLEMS = 10_000;

/** Something that breaks a rule, at a value. */
export function error(code: RuleCode, message: string, { source, pointer }: Node): Finding {
  return { severity: "error", code, message, source, pointer };
}

/** Something that can be meant so and seldom is, at a value. */
export function warning(code: RuleCode, message: string, { source, pointer }: Node): Finding {
  return { severity: "warning", code, message, source, pointer };
}

/** The same problem, seen at the key that the value stands under. */
export function atKey(finding: Finding): Finding {
  return { ...finding, atKey: true };
}

/** What is found at each of some things, until it is more than is told. */
export function findAtEach<Thing>(
  things: Iterable<Thing>,
  find: (thing: Thing) => Finding | readonly Finding[],
  most: number = MOST_PROBLEMS,
): Finding[] {
  const findings: Finding[] = [];
  for (const thing of things) {
    if (findings.length > most) break;
    findings.push(...[find(thing)].flat());
  }
  return findings;
}
