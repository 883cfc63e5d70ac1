import { splitTarget } from "../http/url.ts";
import { templateOf } from "../openapi/path_condition.ts";
import { problemAnswer } from "./answer.ts";
import type { MockEngine } from "./mock_server.ts";
import { type Reply, replyWith } from "./reply.ts";
import type { Session } from "./session/session.ts";
import { inBasePath, SESSION_HEADER, sessionOfRequest } from "./session/session_request.ts";

/** Whether a request may name its session, by the header `X-Gw-Session` or by a base path (`/_gw/s/NAME/`). */
export function namesSession({ index, sessionsPath }: MockEngine, { headers }: Request, path: string): boolean {
  return headers.get(SESSION_HEADER) !== null || (index !== undefined && path.startsWith(sessionsPath));
}

/**
 * Replies to a request in the session that it names, and records the exchange in the session's journal.
 *
 * @param unnamed The session of requests that name no session.
 */
export function replyInNamedSession(
  server: MockEngine,
  request: Request,
  unnamed: Session,
  reply: (server: MockEngine, session: Session, request: Request) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  const { sessions, sending } = server;
  if (sessions === undefined) return reply(server, unnamed, request);
  const found = sessionOfRequest(sessions, request, unnamed, sessionPrefixOf(server, request), server.isForeign);
  if (found.kind === "refused") return replyWith(request, problemAnswer(found.problem), sending);
  const { session, basePath } = found;
  const replied = recordReply(session, found.request, reply(server, session, found.request));
  if (basePath === "") return replied;
  const withBasePath = (reply: Reply): Reply => ({
    ...reply,
    response: inBasePath(reply.response, basePath, found.request.url),
  });
  return replied instanceof Promise ? replied.then(withBasePath) : withBasePath(replied);
}

/** Records a request and its reply in the journal of a session. Returns the reply. */
export function recordReply(
  session: Session,
  request: Request,
  reply: Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  if (reply instanceof Promise) return reply.then((reply) => recordReply(session, request, reply));
  if (reply.details !== undefined) session.journal?.record(request, reply, reply.details);
  return reply;
}

/**
 * The prefix of sessions' base paths (`/_gw/s/`), if the request's path begins with it; else `undefined`. A
 * definition's path without parameters takes precedence.
 */
function sessionPrefixOf({ index, sessionsPath, router }: MockEngine, request: Request): string | undefined {
  if (index === undefined) return undefined;
  const { path } = splitTarget(request.url);
  if (!path.startsWith(sessionsPath)) return undefined;
  const match = router.match(request.method, path, request);
  return match.kind === "found" && !templateOf(match.route.path).includes("{") ? undefined : sessionsPath;
}
