import { createHandlerContext } from "../../lib/mock/operation/operation_handler.ts";
import { checkRule } from "../../lib/mock/operation/check_rule.ts";
import { createRuleReader } from "../../lib/mock/rules/read_rule.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { listOperations } from "../../lib/openapi/operation.ts";
import type { WrittenRule } from "../line/rule_flag.ts";

/**
 * Checks rules against the definitions.
 *
 * @returns A message for each rule that is refused.
 */
export async function mistakesInRules(
  rules: readonly WrittenRule[],
  documents: readonly Document[],
): Promise<string[]> {
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
