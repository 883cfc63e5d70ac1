import { hasBody } from "../../http/body.ts";
import { answerInOrder } from "../../mock/answer_in_order.ts";
import { type Answer, problemAnswer } from "../../mock/answer.ts";
import { inferResources } from "../../mock/infer/infer_resources.ts";
import type { HandlerContext, OperationHandler } from "../../mock/operation_handler.ts";
import { NO_PREFERENCES } from "../../mock/preferences.ts";
import { readRequestBody } from "../../mock/request_body.ts";
import { sessionOfRequest } from "../../mock/session/session_request.ts";
import type { Sessions } from "../../mock/session/sessions.ts";
import { createInitialStates } from "../../mock/state/initial_states.ts";
import { createStateAnswers, type StateAnswers } from "../../mock/state/state_context.ts";
import type { Document } from "../../openapi/document.ts";
import type { RequestContext } from "./request_context.ts";

/** The resources of an API, and its sessions. */
export interface StatefulMock {
  readonly answers: StateAnswers;
  readonly sessions: Sessions;
}

/** Finds the resources of an API, and has its sessions begin with their items. What the sessions have stored stays. */
export function createStatefulMock(document: Document, sessions: Sessions, mocking: HandlerContext): StatefulMock {
  const answers = createStateAnswers(inferResources([document]), mocking);
  sessions.rebind(createInitialStates(answers.resources, mocking));
  return { answers, sessions };
}

/** Answers a request for a stateful operation, from the session that the header `X-Gw-Session` names. */
export async function answerStateful(
  handler: OperationHandler,
  { answers, sessions }: StatefulMock,
  { request, target }: RequestContext,
): Promise<Answer> {
  const found = sessionOfRequest(sessions, request, sessions.shared, undefined);
  if (found.kind === "refused") return problemAnswer(found.problem);
  const read = handler.readsBody && hasBody(request) ? await readRequestBody(handler, request, target) : undefined;
  const answered = { request, target, body: read?.value, outcome: undefined, preferences: NO_PREFERENCES };
  return await answerInOrder(handler, answers, found.session, answered);
}
