import type { Answer } from "./answer.ts";
import { answerBound, type BoundRequest } from "./answer_bound.ts";
import { answerOperation, choiceOf, type OperationHandler } from "./operation_handler.ts";
import { NO_PREFERENCES, type Preferences } from "./preferences.ts";
import type { Session } from "./session/session.ts";
import type { StateAnswers } from "./state/state_context.ts";

/** A valid request for an operation, with the preferences of its client. */
export interface AnsweredRequest extends BoundRequest {
  readonly preferences: Preferences;
}

/**
 * Answers a request by the first that decides: the preferences of the client, the examples whose conditions
 * (`x-svc.mocking.match`) the request fulfils, the state of the session, and else the operation's example or generated
 * body.
 *
 * @param stateful The resources of the server; absent without stateful operations.
 * @param session The session of the request; absent where the server has no sessions.
 */
export function answerInOrder(
  handler: OperationHandler,
  stateful: StateAnswers | undefined,
  session: Session | undefined,
  answered: AnsweredRequest,
): Answer | Promise<Answer> {
  const { request, target, body, preferences } = answered;
  const { binding } = handler;
  const choice = choiceOf(handler, request, target, body);
  const isDecided = preferences !== NO_PREFERENCES || (choice !== undefined && choice.isImplied === undefined);
  const answerStateless = (): Answer | Promise<Answer> => answerOperation(handler, request, preferences, choice);
  if (isDecided || binding === undefined || stateful === undefined || session === undefined) return answerStateless();
  const answer = answerBound(stateful, binding, session, answered);
  return answer instanceof Promise ? answer.then((answer) => answer ?? answerStateless()) : answer;
}
