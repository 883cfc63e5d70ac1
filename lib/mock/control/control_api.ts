/**
 * The control API, from a request to its response:
 *
 * ```text
 * request -> matchOperation -> access -> session -> the operation's handler
 * ```
 *
 * Errors on the way become problems (RFC 9457) here, and nowhere else.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { Problem } from "../../http/problem.ts";
import { problemResponse } from "../../http/problem.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import { suggest } from "../../http/message.ts";
import { splitTarget } from "../../http/url.ts";
import { createRuleReader, type RuleReader } from "../rules/read_rule.ts";
import type { Session } from "../session/session.ts";
import { isSessionName } from "../session/session_name.ts";
import { StateFullError } from "../state/limits.ts";
import { type AccessOptions, createAccess } from "./access.ts";
import type { ControlContext, ControlledServer } from "./context.ts";
import { ControlError } from "./control_error.ts";
import { type Description, readDescription } from "./description.ts";
import { type ControlOperation, matchOperation, OPERATIONS } from "./operations.ts";
import { checkQuery, type Query, readQuery } from "./query.ts";

/**
 * Answers a request for the control API.
 *
 * @param session The session that the request names by its header or base path, else the shared session.
 * @param path The path of the request, without a session's base path.
 */
export type ControlApi = (
  request: Request,
  session: Session,
  path: string,
) => ControlReply | Promise<ControlReply>;

/** The response to a request, with its problem's `detail` for the log. */
export interface ControlReply {
  readonly response: Response;
  /** Absent if the response isn't a problem. */
  readonly detail?: string | undefined;
}

export function createControlApi(server: ControlledServer, options: AccessOptions): ControlApi {
  const refuse = createAccess(options);
  let description: Promise<Description> | undefined;
  let ruleReader: Promise<RuleReader> | undefined;
  const context: ControlContext = {
    server,
    description: () => description ??= readDescription(server.controlPath),
    ruleReader: () => ruleReader ??= createRuleReader(),
  };
  return (request, session, path) => {
    const match = matchOperation(request.method, path.slice(server.controlPath.length - 1));
    if (match.kind === "not-found") {
      return refusal(request, noOperation(path, server.controlPath));
    }
    const refused = refuse(request);
    if (refused !== undefined) return refusal(request, refused, refused.status === 401 ? CHALLENGE : []);
    switch (match.kind) {
      case "found":
        return handle(match.route, match.parameters, request, session, context);
      case "method-not-allowed":
        return otherMethod(request, path, match.allowed);
    }
  };
}

function handle(
  operation: ControlOperation,
  parameters: Readonly<Record<string, string>>,
  request: Request,
  session: Session,
  context: ControlContext,
): ControlReply | Promise<ControlReply> {
  const { operationId } = operation;
  try {
    const query = readQuery(splitTarget(request.url).query);
    checkQuery(query, [...operation.query, "session"]);
    const meant = sessionOf(query, session, context);
    const response = operation.handle({ request, operationId, session: meant, query, parameters }, context);
    return response instanceof Promise
      ? response.then((response) => replyTo(request, response), (error) => failed(request, error))
      : replyTo(request, response);
  } catch (error) {
    return failed(request, error);
  }
}

/** The session of a request: by its header or base path, else by its query, else the shared session. */
function sessionOf(query: Query, session: Session, { server: { sessions } }: ControlContext): Session {
  const name = query.get("session") ?? "";
  if (name === "" || name === session.name) return session;
  if (!isSessionName(name)) {
    throw new ControlError(400, "The query `session` names a session: 1 to 128 letters, digits and . _ ~ -.");
  }
  if (session.name === "") return sessions.of(name);
  throw new ControlError(400, `The request names two sessions, ${session.name} and ${name}.`);
}

/** The reply for an expected error of a request. Other errors are bugs of gw, and are rethrown. */
function failed(request: Request, error: unknown): ControlReply {
  if (error instanceof ControlError) return refusal(request, error.problem, error.headers);
  if (error instanceof StateFullError) {
    const { message, limit } = error;
    return refusal(request, { title: reasonPhrase(507), status: 507, detail: message, limit });
  }
  throw error;
}

const CHALLENGE: HeaderList = [["www-authenticate", 'Bearer realm="gw"']];

function refusal(request: Request, problem: Problem, headers: HeaderList = []): ControlReply {
  return { ...replyTo(request, problemResponse(problem, headers)), detail: problem.detail };
}

function otherMethod(request: Request, path: string, methods: readonly string[]): ControlReply {
  const allowed = [...methods, ...methods.includes("GET") ? ["HEAD"] : [], "OPTIONS"].join(", ");
  // No CORS headers: pages of other origins may not use the API.
  if (request.method === "OPTIONS") {
    return { response: new Response(null, { status: 204, headers: { allow: allowed } }) };
  }
  const detail = `${path} has no ${request.method}; it has ${allowed}.`;
  return refusal(request, { title: reasonPhrase(405), status: 405, detail }, [["allow", allowed]]);
}

function noOperation(path: string, controlPath: string): Problem {
  const paths = [...new Set(OPERATIONS.map((operation) => controlPath + operation.path.slice(1)))];
  const [nearest] = suggest(path, paths);
  const hint = nearest === undefined
    ? `${controlPath}openapi.json describes what there is.`
    : `Did you mean ${nearest}?`;
  const detail =
    `There is nothing at ${
      path.slice(0, 200)
    }. There is ${controlPath}health. ${hint} Paths below ${controlPath} are those of the mock ` +
    "server itself; --no-control gives them back to the definition.";
  return { title: reasonPhrase(404), status: 404, detail };
}

/** Removes the body from the response to a HEAD request. */
function replyTo(request: Request, response: Response): ControlReply {
  if (request.method !== "HEAD" || response.body === null) return { response };
  void response.body.cancel();
  return { response: new Response(null, response) };
}
