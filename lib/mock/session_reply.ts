/**
 * Replies in the session that a request names.
 *
 * @module
 */
import { andThen } from "../http/and_then.ts";
import { splitTarget } from "../http/url/url.ts";
import { templateOf } from "../openapi/path_condition.ts";
import { problemAnswer } from "./answer/answer.ts";
import { answerOperation } from "./answer_operation.ts";
import type { Engine } from "./engine.ts";
import type { LocalMock } from "./local_mock.ts";
import type { OperationHandler } from "./operation/operation_handler.ts";
import { type Reply, replyWith } from "./operation/reply.ts";
import type { Trace } from "./explain/trace.ts";
import type { Session } from "./session/session.ts";
import { inBasePath, SESSION_HEADER, sessionOfRequest } from "./session/session_request.ts";
import type { RequestTarget } from "./validation/validate_request.ts";

/**
 * Answers a request for a mocked operation in the session that the header `X-Gw-Session` names, else in the shared
 * session. For servers without base paths of sessions.
 */
export function answerInSession(
  engine: Engine,
  handler: OperationHandler,
  request: Request,
  target: RequestTarget,
): Reply | Promise<Reply> {
  const { sessions, sending } = engine;
  if (sessions === undefined) return answerOperation(engine, handler, request, target, undefined);
  const found = sessionOfRequest((name) => sessions.of(name), request, sessions.shared, undefined);
  return found.kind === "refused"
    ? replyWith(request, problemAnswer(found.problem), sending)
    : answerOperation(engine, handler, request, target, found.session);
}

type ReplyInSession = (
  server: LocalMock,
  session: Session,
  request: Request,
  requested?: { readonly path: string; readonly query: string },
  trace?: Trace,
) => Reply | Promise<Reply>;

/** Whether a request may name its session, by the header `X-Gw-Session` or by a base path (`/_gw/s/NAME/`). */
export function namesSession({ index, sessionsPath }: LocalMock, { headers }: Request, path: string): boolean {
  return headers.get(SESSION_HEADER) !== null || (index !== undefined && path.startsWith(sessionsPath));
}

/**
 * Replies to a request in the session that it names, and records the exchange in the session's journal.
 *
 * @param unnamed The session of requests that name no session.
 */
export function replyInNamedSession(
  server: LocalMock,
  request: Request,
  unnamed: Session,
  reply: ReplyInSession,
  trace?: Trace,
): Reply | Promise<Reply> {
  const { sessions, sending, isForeign } = server;
  if (sessions === undefined) return reply(server, unnamed, request, undefined, trace);
  // An explanation begins no session, and displaces none.
  const find = (name: string): Session =>
    trace === undefined ? sessions.of(name, () => isForeign(request)) : sessions.preview(name);
  const found = sessionOfRequest(find, request, unnamed, sessionPrefixOf(server, request));
  if (found.kind === "refused") {
    if (trace !== undefined) trace.refused = { step: "session", problem: found.problem };
    return replyWith(request, problemAnswer(found.problem), sending);
  }
  const { session, basePath } = found;
  const begun = session.journal?.begin();
  const replied = recordReply(session, found.request, reply(server, session, found.request, undefined, trace), begun);
  if (basePath === "") return replied;
  return andThen(replied, (reply) => (
    { ...reply, response: inBasePath(reply.response, basePath, found.request.url) }
  ));
}

/**
 * Records a request and its reply in the journal of a session. Returns the reply.
 *
 * @param begun What the journal's `begin` returned at the begin of the request.
 */
export function recordReply(
  session: Session,
  request: Request,
  reply: Reply | Promise<Reply>,
  begun: number | undefined,
): Reply | Promise<Reply> {
  return andThen(reply, (reply) => {
    if (reply.details === undefined) return reply;
    const delivered = session.journal?.record(request, reply, reply.details, begun);
    return delivered === undefined ? reply : { ...reply, delivered };
  });
}

/**
 * The prefix of sessions' base paths (`/_gw/s/`), if the request's path begins with it; else `undefined`. A
 * definition's path without parameters takes precedence.
 */
function sessionPrefixOf({ index, sessionsPath, router }: LocalMock, request: Request): string | undefined {
  if (index === undefined) return undefined;
  const { path } = splitTarget(request.url);
  if (!path.startsWith(sessionsPath)) return undefined;
  const match = router.match(request.method, path, request);
  return match.kind === "found" && !templateOf(match.route.path).includes("{") ? undefined : sessionsPath;
}
