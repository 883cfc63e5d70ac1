import type { Answer } from "./answer.ts";
import { answerBound } from "./answer_bound.ts";
import { answerOperation, choiceOf, type OperationHandler } from "./operation_handler.ts";
import { NO_PREFERENCES, type Preferences } from "./preferences.ts";
import type { Session } from "./session/session.ts";
import type { RequestTarget } from "./validation/validate_request.ts";

/** A valid request for an operation. */
export interface AnsweredRequest {
  readonly request: Request;
  readonly target: RequestTarget;
  /** The body as a value, where the handler reads it. */
  readonly body: unknown;
  readonly preferences: Preferences;
}

/**
 * Answers a request by the first that decides: the preferences of the client, the examples that the contents of the
 * request select, the state of the session, and else the operation's example or generated body.
 *
 * @param session The session of the request; absent where the server has no sessions.
 */
export function answerInOrder(
  handler: OperationHandler,
  session: Session | undefined,
  answered: AnsweredRequest,
): Answer | Promise<Answer> {
  const { request, target, body, preferences } = answered;
  const choice = choiceOf(handler, request, target, body);
  const { binding } = handler;
  if (binding !== undefined && session !== undefined && preferences === NO_PREFERENCES && choice === undefined) {
    const answer = answerBound(binding, session, answered);
    if (answer !== undefined) return answer;
  }
  return answerOperation(handler, request, preferences, choice);
}
