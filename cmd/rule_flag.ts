import { checkRule } from "../lib/mock/rules/check_rule.ts";
import { toRule } from "../lib/mock/rules/parse_rule.ts";
import { createRuleReader } from "../lib/mock/rules/read_rule.ts";
import type { Rule } from "../lib/mock/rules/rule.ts";
import { createHandlerContext } from "../lib/mock/operation_handler.ts";
import type { Document } from "../lib/openapi/document.ts";
import { listOperations } from "../lib/openapi/operation.ts";

/** A rule with its text on the command line, for messages. */
export interface WrittenRule {
  readonly text: string;
  readonly rule: Rule;
}

export const RULE_FLAG = {
  value: "RULE",
  read: (text: string): WrittenRule => ({ text, rule: toRule(text) }),
  many: true,
  description: "Answer otherwise: 'GET /pets: 503 10%', 'POST /orders: delay 200-400', '* *: reset 1%', 'GET /pets: " +
    "example NAME', 'GET /pets: 503,503'. The first that applies counts. More: page rules of the documentation.",
} as const;

/**
 * Checks rules against the definitions.
 *
 * @returns A message for each rule that is refused.
 */
export async function mistakesInRules(
  rules: readonly WrittenRule[],
  documents: readonly Document[],
): Promise<string[]> {
  if (rules.length === 0) return [];
  const reader = await createRuleReader();
  const operations = documents.flatMap(listOperations);
  const context = createHandlerContext();
  const mistakes: string[] = [];
  for (const { text, rule } of rules) {
    const read = reader.read(rule);
    const problems = read.kind === "refused" ? read.problems : await checkRule(rule, operations, context);
    const [problem] = problems;
    if (problem === undefined) continue;
    // A pointer to the operation would only repeat what the message says.
    const place = problem.pointer === "" || problem.pointer === "/operation" ? "" : ` at ${problem.pointer}`;
    mistakes.push(`--rule '${text}' can't be used${place}: ${problem.message}`);
  }
  return mistakes;
}
