/**
 * Replies to requests that no mocked operation answers: preflights, redirects, requests for the upstream, the server's
 * own endpoints, and paths and methods that no definition has.
 *
 * @module
 */
import { andThen } from "../http/and_then.ts";
import { noMethod, withImplied } from "../http/method.ts";
import { type Problem, PROBLEM_MEDIA_TYPE } from "../http/problem.ts";
import { splitTarget } from "../http/url/url.ts";
import { nameOf, type Operation } from "../openapi/operation.ts";
import { templateOf } from "../openapi/path_condition.ts";
import { type Answer, problemAnswer, redirectAnswer, statusAnswer } from "./answer/answer.ts";
import { allowAnswer } from "./answer/build_answer.ts";
import { answerHealth, PAGES_PATH } from "./own_endpoints.ts";
import { answerPreflight, isPreflight, preflightHeaders, shareAnswer } from "./answer/cors.ts";
import type { MockRoute, OperationRoute } from "./operation/mock_route.ts";
import type { Explainer } from "./control/context.ts";
import type { LocalMock } from "./local_mock.ts";
import { createOperationHandler, refuseRequest } from "./operation/operation_handler.ts";
import { disabled, noPath, notMocked } from "./answer/problems.ts";
import type { UpstreamRelay } from "../observe/relay/create_relay.ts";
import type { Session } from "./session/session.ts";
import { observeReply, type Reply, replyWith, upstreamReply } from "./operation/reply.ts";
import type { Match } from "./route/router.ts";
import { unmetConditions } from "./route/unmet_conditions.ts";

/**
 * Replies to requests that take precedence over operations: preflights for an operation of the upstream, and requests
 * for the control API, unless a definition has the same path without parameters.
 *
 * @param explain Explains requests, for the control API.
 * @returns `undefined` for all other requests.
 */
export function replyBeforeOperation(
  server: LocalMock,
  session: Session | undefined,
  request: Request,
  path: string,
  match: Match<MockRoute>,
  explain: Explainer,
): Reply | Promise<Reply> | undefined {
  const { relay, router, control, controlPath } = server;
  if (relay !== undefined && isPreflight(request)) {
    const asked = matchPreflight(router, request, request.headers.get("access-control-request-method") ?? "", path);
    if (asked.kind === "found" && asked.route.operation !== undefined && asked.route.action.kind === "upstream") {
      return replyToPreflight(server, relay, asked.route.operation, request, path);
    }
  }
  const isLiteral = match.kind === "found" && !templateOf(match.route.path).includes("{");
  if (control === undefined || session === undefined || !path.startsWith(controlPath) || isLiteral) return undefined;
  if (path === `${controlPath}health`) {
    return replyToOptions(server, request, path, ["GET", "HEAD", "OPTIONS"]) ??
      replyWith(request, answerHealth(request.method, path), server.sending);
  }
  const isUnlogged = path === controlPath || path.startsWith(controlPath + PAGES_PATH);
  return andThen(control(request, session, path, explain), (response) => ownReply(response, isUnlogged));
}

function ownReply(response: Response, isUnlogged: boolean): Reply | Promise<Reply> {
  const mediaType = response.headers.get("content-type") ?? "";
  const reply: Reply = { response, mediaType, source: "gw", isUnlogged };
  if (reply.mediaType !== PROBLEM_MEDIA_TYPE || response.body === null) return reply;
  // The log gives the reason of a problem, as of those of operations.
  return response.clone().json().then(({ detail }: Problem) => ({ ...reply, detail }));
}

function missingSlashProblem({ control, controlPath }: LocalMock, path: string): Problem | undefined {
  if (control === undefined || `${path}/` !== controlPath) return undefined;
  const detail = `There is nothing at ${path}. The mock server's own paths are below ${controlPath}, with the slash; ` +
    `${controlPath}openapi.json describes them.`;
  return { title: "Not Found", status: 404, detail };
}

/** Replies to a request that matches no mocked operation. */
export function replyUnmocked(
  server: LocalMock,
  request: Request,
  path: string,
  match: Match<MockRoute>,
): Reply | Promise<Reply> {
  const { index, operations, sending } = server;
  const refuse = (problem: Problem): Reply =>
    observeReply(server.observe, request, recorded(replyWith(request, problemAnswer(problem), sending)));
  switch (match.kind) {
    case "found":
      return replyToRoute(server, request, path, match);
    case "not-found": {
      if (server.relay !== undefined && server.proxiesUnknown) {
        return replyToUnknown(server, server.relay, request, path);
      }
      if (match.unmet !== undefined) {
        return replyToOptions(server, request, path, []) ?? refuse(unmetConditions(request, path, match.unmet));
      }
      const isIndex = path === "/" && (request.method === "GET" || request.method === "HEAD");
      if (index !== undefined && isIndex) return replyWith(request, index(request.headers.get("accept")), sending);
      return replyToOptions(server, request, path, []) ??
        refuse(missingSlashProblem(server, path) ?? noPath(path, operations));
    }
    case "method-not-allowed": {
      const visible = match.allowed.filter((method) => actionFor(server, request, method, path) !== "disabled");
      if (visible.length === 0) return replyWith(request, problemAnswer(disabled(path)), sending);
      if (server.relay !== undefined && server.proxiesUnknown) {
        return replyToUnknown(server, server.relay, request, path);
      }
      const allowed = withImplied(visible);
      const answer = problemAnswer(noMethod(request.method, path, allowed), [["allow", allowed.join(", ")]]);
      return replyToOptions(server, request, path, allowed) ??
        observeReply(server.observe, request, recorded(replyWith(request, answer, sending)));
    }
  }
}

function replyToRoute(
  server: LocalMock,
  request: Request,
  path: string,
  { route, parameters }: Extract<Match<MockRoute>, { kind: "found" }>,
): Reply | Promise<Reply> {
  const { operation, action } = route;
  const reply = (answer: Answer): Reply => recorded(replyWith(request, answer, server.sending, operation));
  if (operation === undefined || action.kind === "disabled") {
    return reply(problemAnswer(disabled(operation === undefined ? path : nameOf(operation))));
  }
  if (action.kind === "redirect") return reply(redirectAnswer(action.redirect, request.url));
  if (server.relay === undefined) return reply(problemAnswer(notMocked(operation)));
  return replyFromUpstream(server, server.relay, request, route, parameters);
}

async function replyFromUpstream(
  server: LocalMock,
  upstream: UpstreamRelay,
  request: Request,
  route: OperationRoute,
  pathParameters: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { operation } = route;
  const relayed = await upstream.relay({
    request,
    operation,
    target: { ...splitTarget(request.url), pathParameters },
  });
  if (relayed.kind === "relayed") {
    const { response, isUpstream, ...told } = relayed;
    const reply = {
      ...upstreamReply(shared(server, request, response), operation),
      ...told,
      details: { pathParameters },
    };
    return isUpstream ? reply : { ...reply, source: "problem" };
  }
  const handler = route.handler ??= createOperationHandler(operation, true, server.handlers);
  const { validation, remarks } = relayed.checked;
  const answer = await refuseRequest(handler, request, validation);
  const details = { pathParameters, answer, sent: relayed.checked.body };
  const reply = { ...replyWith(request, answer, server.sending, operation), validation, remarks, details };
  return observeReply(server.observe, request, reply);
}

/** Marks a reply for the journal: replies without `details` aren't recorded. */
function recorded(reply: Reply): Reply {
  return { ...reply, details: {} };
}

/** Sends a request to the upstream because no definition has its path or method. */
async function replyToUnknown(
  server: LocalMock,
  upstream: UpstreamRelay,
  request: Request,
  path: string,
): Promise<Reply> {
  if (isPreflight(request)) return await replyToPreflight(server, upstream, undefined, request, path);
  const target = { ...splitTarget(request.url), pathParameters: {} };
  const { response, isUpstream, remarks } = await upstream.pass({ request, operation: undefined, target });
  const reply = recorded(upstreamReply(shared(server, request, response)));
  return isUpstream ? reply : { ...reply, source: "problem", remarks };
}

/** Adds CORS headers to a response of the upstream, if `permits` allows the request's origin. */
function shared({ permits }: LocalMock, request: Request, response: Response): Response {
  return permits === undefined ? response : shareAnswer(response, request.headers.get("origin"), permits);
}

async function replyToPreflight(
  { router, permits }: LocalMock,
  { upstream }: UpstreamRelay,
  operation: Operation | undefined,
  request: Request,
  path: string,
): Promise<Reply> {
  // The empty method matches no route, so that the result lists all methods of the path.
  const match = matchPreflight(router, request, "", path);
  const allowed = match.kind === "method-not-allowed" ? withImplied(match.allowed) : [];
  const { response, isUpstream } = await answerPreflight(request, allowed, upstream, permits);
  const reply = upstreamReply(response, operation);
  return isUpstream ? reply : { ...reply, source: "status" };
}

/** Replies to `OPTIONS`: to a preflight with CORS headers, else with the methods of the path. */
function replyToOptions(
  server: LocalMock,
  request: Request,
  path: string,
  allowed: readonly string[],
): Reply | undefined {
  if (request.method !== "OPTIONS") return undefined;
  const { relay, sending } = server;
  if (sending.cors && isPreflight(request)) {
    // The upstream answers preflights for its own operations, so their methods are left out.
    const own = relay === undefined
      ? allowed
      : allowed.filter((method) => actionFor(server, request, method, path) !== "upstream");
    return replyWith(request, statusAnswer(204, preflightHeaders(request, own)), sending);
  }
  if (allowed.length === 0) return undefined;
  return replyWith(request, allowAnswer(allowed), sending);
}

function actionFor(
  { router }: LocalMock,
  request: Request,
  method: string,
  path: string,
): MockRoute["action"]["kind"] | undefined {
  const match = isPreflight(request)
    ? matchPreflight(router, request, method, path)
    : router.match(method, path, request);
  return match.kind === "found" ? match.route.action.kind : undefined;
}

/** Finds the route of the request that a preflight announces, whose headers aren't known yet. */
function matchPreflight(
  router: LocalMock["router"],
  { url }: Request,
  method: string,
  path: string,
): Match<MockRoute> {
  return router.match(method, path, { url, headers: undefined });
}
