import { splitTarget } from "../http/url.ts";
import { templateOf } from "../openapi/path_condition.ts";
import { problemAnswer } from "./answer.ts";
import type { MockEngine } from "./mock_server.ts";
import { type Reply, replyWith } from "./reply.ts";
import type { Session } from "./session/session.ts";
import { inBasePath, sessionOfRequest, type SessionRequest } from "./session/session_request.ts";
import type { Sessions } from "./session/sessions.ts";

/** A request to a server with sessions. */
export interface RequestInSessions {
  readonly server: MockEngine;
  readonly sessions: Sessions;
  readonly request: Request;
  /** The session of requests that name none. */
  readonly unnamed: Session;
}

/** Replies to a request in its session, and records the exchange in the session's journal. */
export function replyInSession(
  { server, sessions, request, unnamed }: RequestInSessions,
  reply: (session: Session, request: Request) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  const found = sessionOfRequest(sessions, request, unnamed, folderFor(server, request));
  if (found.kind === "refused") return replyWith(request, problemAnswer(found.problem), server.sending);
  const replied = reply(found.session, found.request);
  return replied instanceof Promise ? replied.then((replied) => finish(found, replied)) : finish(found, replied);
}

/**
 * The prefix of sessions' base paths, if the path of a request begins with it; else `undefined`. A definition's path
 * without parameters takes precedence.
 */
function folderFor({ index, sessionsPath, router }: MockEngine, request: Request): string | undefined {
  // A quick check, since most URLs don't contain the prefix.
  if (index === undefined || !request.url.includes(sessionsPath)) return undefined;
  const { path } = splitTarget(request.url);
  if (!path.startsWith(sessionsPath)) return undefined;
  const match = router.match(request.method, path, request);
  return match.kind === "found" && !templateOf(match.route.path).includes("{") ? undefined : sessionsPath;
}

function finish({ session, request, basePath }: SessionRequest, reply: Reply): Reply {
  if (reply.details !== undefined) session.journal?.record(request, reply, reply.details);
  return basePath === "" ? reply : { ...reply, response: inBasePath(reply.response, basePath, request.url) };
}
