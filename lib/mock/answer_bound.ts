import type { Answer } from "./answer.ts";
import type { Binding } from "./infer/resource.ts";
import type { Session } from "./session/session.ts";
import { originalRequest } from "./session/request_with_url.ts";
import { answerFromState } from "./state/answer_state.ts";
import type { StateAnswers } from "./state/state_context.ts";
import type { Unreadable } from "./state/state_request.ts";
import type { RequestTarget } from "./validation/validate_request.ts";

/** A request for an operation with a binding. */
export interface BoundRequest {
  readonly request: Request;
  readonly target: RequestTarget;
  /** The decoded body; `undefined` if there is none. */
  readonly body: unknown;
  /** Why the body is unreadable; absent if it was decoded. */
  readonly unreadable?: Unreadable | undefined;
}

/**
 * Answers a request for an operation with a binding, from the state of a session.
 *
 * @returns `undefined`, or a promise of `undefined`, if the operation can't be answered from state.
 */
export type BoundAnswerer = (
  binding: Binding,
  session: Session,
  request: BoundRequest,
) => Answer | Promise<Answer | undefined>;

/** Makes the function that answers the operations with a binding of one server. */
export function createBoundAnswerer(answers: StateAnswers): BoundAnswerer {
  return (binding, session, request) => answerBound(answers, binding, session, request);
}

function answerBound(
  answers: StateAnswers,
  binding: Binding,
  session: Session,
  { request, target: { path, query, pathParameters }, body, unreadable }: BoundRequest,
): Answer | Promise<Answer | undefined> {
  const { state, clock, seed } = session;
  const { method, headers } = request;
  // The URL as the client sent it, with the session's base path, so that links in bodies lead to the same session.
  const { url } = originalRequest(request);
  const context = { answers, state, now: () => clock.now(), seed };
  return answerFromState(binding, context, { method, url, headers, path, query, pathParameters, body, unreadable });
}
