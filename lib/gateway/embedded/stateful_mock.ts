import { hasBody } from "../../http/body.ts";
import { type BoundAnswerer, createBoundAnswerer } from "../../mock/answer_bound.ts";
import { answerInOrder } from "../../mock/answer_in_order.ts";
import { type Answer, problemAnswer } from "../../mock/answer.ts";
import { inferResources } from "../../mock/infer/infer_resources.ts";
import type { Resources } from "../../mock/infer/resource.ts";
import type { HandlerContext, OperationHandler } from "../../mock/operation_handler.ts";
import { NO_PREFERENCES } from "../../mock/preferences.ts";
import { readRequestBody } from "../../mock/request_body.ts";
import { sessionOfRequest } from "../../mock/session/session_request.ts";
import type { Chosen } from "../../mock/rules/rule_list.ts";
import type { Sessions } from "../../mock/session/sessions.ts";
import { createInitialStates } from "../../mock/state/initial_states.ts";
import { createStateAnswers } from "../../mock/state/state_context.ts";
import type { Document } from "../../openapi/document.ts";
import type { RequestContext } from "./request_context.ts";

/** The parts by which an API answers from state: its resources, and the sessions that hold their items. */
export interface StatefulMock {
  readonly resources: Resources;
  readonly answerBound: BoundAnswerer;
  readonly sessions: Sessions;
}

/**
 * Infers the resources of an API, and sets the initial state of its sessions. A collection that a session has written
 * to is kept.
 */
export function createStatefulMock(document: Document, sessions: Sessions, mocking: HandlerContext): StatefulMock {
  const answers = createStateAnswers(inferResources([document]), mocking);
  sessions.rebind(createInitialStates(answers.resources, mocking));
  return { resources: answers.resources, answerBound: createBoundAnswerer(answers), sessions };
}

/** An answer, with the delay and the fault that rules have chosen for it. */
export interface SessionAnswer extends Pick<Partial<Chosen>, "delay" | "fault"> {
  readonly answer: Answer;
}

/**
 * Answers a request for an operation that is stateful or has rules, in the session that the header `X-Gw-Session`
 * names.
 *
 * @param answerBound Answers from state; absent if the operation isn't stateful.
 */
export async function answerInSession(
  handler: OperationHandler,
  { answerBound, sessions }: { readonly answerBound: BoundAnswerer | undefined; readonly sessions: Sessions },
  { request, target }: RequestContext,
): Promise<SessionAnswer> {
  const found = sessionOfRequest(sessions, request, sessions.shared, undefined);
  if (found.kind === "refused") return { answer: problemAnswer(found.problem) };
  const { session } = found;
  const read = handler.readsBody && hasBody(request) ? await readRequestBody(handler, request) : undefined;
  const chosen = handler.declaredRules.length === 0
    ? undefined
    : session.rules.choose(handler, request, target, read?.value);
  const { outcome, delay, fault } = chosen ?? {};
  const answered = { request, target, body: read?.value, outcome, preferences: NO_PREFERENCES };
  const answer = await answerInOrder(handler, answerBound, session, answered);
  return { answer, ...delay === undefined ? {} : { delay }, ...fault === undefined ? {} : { fault } };
}
