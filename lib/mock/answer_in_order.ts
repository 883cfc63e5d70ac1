import type { Answer } from "./answer.ts";
import type { BoundAnswerer, BoundRequest } from "./answer_bound.ts";
import { answerOperation, type OperationHandler } from "./operation_handler.ts";
import { NO_PREFERENCES, type Preferences } from "./preferences.ts";
import { answerByRule, brokenAnswer, replacesAnswer, withRuleHeaders } from "./rules/answer_by_rule.ts";
import { type Outcome, sendsNothing } from "./rules/rule.ts";
import type { Session } from "./session/session.ts";

/** A valid request for an operation, with its preferences and the outcome of the rule that applies. */
export interface AnsweredRequest extends BoundRequest {
  /** The outcome of the rule that applies to the request; absent if none applies. */
  readonly outcome: Outcome | undefined;
  /** The preferences of the client, by `Prefer` or queries such as `__code`. */
  readonly preferences: Preferences;
}

/**
 * Answers a request by the first of these that applies: a rule, the preferences of the client, an example whose
 * conditions (`x-svc.mocking.match`) the request meets, the state of the session, the operation's example or generated
 * body.
 *
 * @param answerBound Answers operations with a binding from state; absent if no operation is stateful.
 * @param session The session of the request; absent if the server has no sessions.
 */
export function answerInOrder(
  handler: OperationHandler,
  answerBound: BoundAnswerer | undefined,
  session: Session | undefined,
  answered: AnsweredRequest,
): Answer | Promise<Answer> {
  const { request, target, body, preferences, outcome } = answered;
  if (outcome !== undefined && sendsNothing(outcome)) return brokenAnswer(handler, outcome);
  if (outcome !== undefined && replacesAnswer(outcome)) return answerByRule(handler, request, outcome);
  const { binding } = handler;
  const answer = binding === undefined || answerBound === undefined || session === undefined
    ? answerOperation(handler, request, target, preferences, body)
    : answerBoundOperation(handler, answered, () => answerBound(binding, session, answered));
  if (outcome === undefined) return answer;
  return answer instanceof Promise
    ? answer.then((answer) => withRuleHeaders(answer, outcome))
    : withRuleHeaders(answer, outcome);
}

/**
 * Answers an operation with a binding from state, unless preferences or an example's conditions select another answer.
 */
function answerBoundOperation(
  handler: OperationHandler,
  { request, target, body, preferences }: AnsweredRequest,
  answerFromState: () => ReturnType<BoundAnswerer>,
): Answer | Promise<Answer> {
  const answerStateless = (): Answer | Promise<Answer> => answerOperation(handler, request, target, preferences, body);
  const choice = handler.matcher?.match(request, target, body);
  if (preferences !== NO_PREFERENCES || choice !== undefined) return answerStateless();
  const answer = answerFromState();
  return answer instanceof Promise ? answer.then((answer) => answer ?? answerStateless()) : answer;
}
