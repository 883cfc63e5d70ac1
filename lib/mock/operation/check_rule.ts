import { isNullBodyStatus } from "../../http/body.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import { list } from "../../schema/wording.ts";
import { createOperationHandler, type HandlerContext } from "./operation_handler.ts";
import { listResponses } from "../answer/select_response.ts";
import { checkResponse } from "../validation/check_response.ts";
import { answerByRule, ruleExamples, statusesOf, statusOf } from "./answer_by_rule.ts";
import type { RuleProblem } from "../rules/read_rule.ts";
import type { Outcome, Rule } from "../../openapi/extension/rule.ts";
import { fitTarget, readTarget } from "../rules/rule_target.ts";
import { unknownOperation } from "../rules/unknown_operation.ts";

/** Limit of the operations that a rule is checked against. The rule `* *` is for all operations. */
const MOST_OPERATIONS = 1_000;
/** Limit of the answers that are checked for one rule: one for each operation and each step of the rule's sequence. */
const MOST_CHECKS = 2_000;
/** Limit of the reported problems of one rule. */
const MOST_PROBLEMS = 20;

/**
 * Checks a rule against the definition: the operation and the example must exist, and the body must be valid.
 *
 * @param operations All operations of the server.
 * @param context The context of the operations' handlers.
 * @returns The problems. None if the rule is valid, or if its `force` is true and its operation exists.
 */
export async function checkRule(
  rule: Rule,
  operations: readonly Operation[],
  context: HandlerContext,
): Promise<readonly RuleProblem[]> {
  const target = readTarget(rule.operation);
  const meant = operations.filter((operation) => fitTarget(target, operation) !== undefined).slice(0, MOST_OPERATIONS);
  if (meant.length === 0) return [{ pointer: "/operation", message: unknownOperation(rule.operation, operations) }];
  if (rule.force === true) return [];
  const problems: RuleProblem[] = [];
  let checks = 0;
  for (const { outcome, path } of outcomesOf(rule)) {
    if (outcome.body === undefined && outcome.example === undefined) continue;
    for (const operation of meant) {
      if (++checks > MOST_CHECKS) return problems;
      const found = await checkOutcome(outcome, operation, context);
      problems.push(...found.map(({ pointer, message }) => ({ pointer: formatPointer(path) + pointer, message })));
      if (problems.length >= MOST_PROBLEMS) return problems.slice(0, MOST_PROBLEMS);
    }
  }
  return problems;
}

/** The outcomes of a rule, each with its path in the rule's JSON. */
function outcomesOf(rule: Rule): { outcome: Outcome; path: string[] }[] {
  if (rule.sequence === undefined) return [{ outcome: rule, path: [] }];
  return rule.sequence.map((outcome, index) => ({ outcome, path: ["sequence", String(index)] }));
}

async function checkOutcome(
  outcome: Outcome,
  operation: Operation,
  context: HandlerContext,
): Promise<readonly RuleProblem[]> {
  const { example, status, body } = outcome;
  if (example !== undefined) return checkExample(operation, example, status);
  const handler = createOperationHandler(operation, true, context);
  const code = statusOf(handler, outcome) ?? 200;
  if (body !== undefined && isNullBodyStatus(code)) {
    return [{ pointer: "/body", message: `A response with the status ${code} has no body. Leave the body out.` }];
  }
  const answer = await answerByRule(handler, { headers: new Headers() }, outcome);
  const violations = await checkResponse(operation, answer, context.validatorOf);
  return violations.filter(({ location }) => location[1] === "body").map(({ location, message }) => ({
    pointer: formatPointer(location.slice(1)),
    message: `${message.replace(/\.$/u, "")}, for ${nameOf(operation)}, response ${code}.`,
  }));
}

/**
 * Checks that the response with the rule's status has the example. A rule without a status may use an example of any
 * response.
 */
function checkExample(operation: Operation, example: string, status: number | undefined): readonly RuleProblem[] {
  const statuses = statusesOf(operation, example);
  if (status === undefined ? statuses.length > 0 : statuses.includes(status)) return [];
  const names = new Set(listResponses(operation).flatMap(([, response]) => [...ruleExamples(operation, response)]));
  const where = status === undefined ? nameOf(operation) : `the response ${status} of ${nameOf(operation)}`;
  const advice = statuses.length > 0
    ? `It is an example of the response ${statuses.join(" and ")}.`
    : names.size === 0
    ? "The operation has no named examples."
    : `The operation's examples are ${list([...names])}.`;
  return [{ pointer: "/example", message: `There is no example \`${example}\` in ${where}. ${advice}` }];
}
