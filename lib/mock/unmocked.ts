/**
 * Replies to requests that no mocked operation answers: preflights, redirects, requests for the upstream, the server's
 * own endpoints, and paths and methods that no definition has.
 *
 * @module
 */
import type { Handler } from "../http/handler.ts";
import { nameOf, type Operation } from "../openapi/operation.ts";
import { templateOf } from "../openapi/path_condition.ts";
import { type Answer, MOCKED, problemAnswer, redirectAnswer, statusAnswer } from "./answer.ts";
import { answerControl, CONTROL_PREFIX } from "./control.ts";
import { answerPreflight, isPreflight, preflightHeaders, shareAnswer } from "./cors.ts";
import type { MockRoute } from "./mock_route.ts";
import type { MockServer } from "./mock_server.ts";
import { disabled, noMethod, noPath, notMocked } from "./problems.ts";
import { type Reply, replyWith, upstreamReply } from "./reply.ts";
import type { Match } from "./router.ts";
import { unmetConditions } from "./unmet_conditions.ts";

/**
 * Replies to requests that take precedence over operations: preflights for an operation of the upstream, and requests
 * for the server's own endpoints, unless a definition has the same path without parameters.
 *
 * @returns `undefined` for all other requests.
 */
export function replyBeforeOperation(
  server: MockServer,
  request: Request,
  path: string,
  match: Match<MockRoute>,
): Reply | Promise<Reply> | undefined {
  const { upstream, router, index } = server;
  if (upstream !== undefined && isPreflight(request)) {
    const asked = matchPreflight(router, request, request.headers.get("access-control-request-method") ?? "", path);
    if (asked.kind === "found" && asked.route.operation !== undefined && asked.route.action.kind === "upstream") {
      return replyToPreflight(server, upstream, asked.route.operation, request, path);
    }
  }
  const isLiteral = match.kind === "found" && !templateOf(match.route.path).includes("{");
  if (index === undefined || !path.startsWith(CONTROL_PREFIX) || isLiteral) return undefined;
  return replyToOptions(server, request, path, ["GET", "HEAD", "OPTIONS"]) ??
    replyWith(request, answerControl(request.method, path), server.sending);
}

/** Replies where no mocked operation is found. */
export function replyUnmocked(
  server: MockServer,
  request: Request,
  path: string,
  match: Match<MockRoute>,
): Reply | Promise<Reply> {
  const { index, operations, sending } = server;
  switch (match.kind) {
    case "found":
      return replyToRoute(server, request, path, match.route);
    case "not-found": {
      const isIndex = path === "/" && (request.method === "GET" || request.method === "HEAD");
      if (index !== undefined && isIndex) return replyWith(request, index(request.headers.get("accept")), sending);
      const problem = match.unmet === undefined
        ? noPath(path, operations)
        : unmetConditions(request, path, match.unmet);
      return replyToOptions(server, request, path, []) ?? replyWith(request, problemAnswer(problem), sending);
    }
    case "method-not-allowed": {
      const visible = match.allowed.filter((method) => actionFor(server, request, method, path) !== "disabled");
      if (visible.length === 0) return replyWith(request, problemAnswer(disabled(path)), sending);
      const allowed = withImplied(visible);
      const problem = noMethod(request.method, path, allowed);
      return replyToOptions(server, request, path, allowed) ??
        replyWith(request, problemAnswer(problem, [["allow", allowed.join(", ")]]), sending);
    }
  }
}

/** Replies to a request for a route that isn't mocked. */
function replyToRoute(
  { upstream, permits, sending }: MockServer,
  request: Request,
  path: string,
  { operation, action }: MockRoute,
): Reply | Promise<Reply> {
  const reply = (answer: Answer): Reply => replyWith(request, answer, sending, operation);
  if (operation === undefined || action.kind === "disabled") {
    return reply(problemAnswer(disabled(operation === undefined ? path : nameOf(operation))));
  }
  if (action.kind === "redirect") return reply(redirectAnswer(action.redirect, request.url));
  if (upstream === undefined) return reply(problemAnswer(notMocked(operation)));
  return replyFromUpstream(upstream, permits, operation, request);
}

async function replyFromUpstream(
  upstream: Handler,
  permits: MockServer["permits"],
  operation: Operation,
  request: Request,
): Promise<Reply> {
  const response = await upstream(request);
  const origin = request.headers.get("origin");
  return upstreamReply(permits === undefined ? response : shareAnswer(response, origin, permits), operation);
}

async function replyToPreflight(
  { router, permits }: MockServer,
  upstream: Handler,
  operation: Operation,
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

/** Replies to a preflight, or tells which methods a path has. */
function replyToOptions(
  server: MockServer,
  request: Request,
  path: string,
  allowed: readonly string[],
): Reply | undefined {
  if (request.method !== "OPTIONS") return undefined;
  const { upstream, sending } = server;
  if (sending.cors && isPreflight(request)) {
    // The upstream answers preflights for its own operations.
    const own = upstream === undefined
      ? allowed
      : allowed.filter((method) => actionFor(server, request, method, path) !== "upstream");
    return replyWith(request, statusAnswer(204, preflightHeaders(request, own)), sending);
  }
  if (allowed.length === 0) return undefined;
  return replyWith(request, statusAnswer(204, [["allow", allowed.join(", ")], MOCKED]), sending);
}

/** The action for a method of a path; `undefined` where the path doesn't have the method. */
function actionFor(
  { router }: MockServer,
  request: Request,
  method: string,
  path: string,
): MockRoute["action"]["kind"] | undefined {
  const match = isPreflight(request)
    ? matchPreflight(router, request, method, path)
    : router.match(method, path, request);
  return match.kind === "found" ? match.route.action.kind : undefined;
}

/** Finds the route of the request that a preflight announces. Its headers aren't known yet. */
function matchPreflight(
  router: MockServer["router"],
  { url }: Request,
  method: string,
  path: string,
): Match<MockRoute> {
  return router.match(method, path, { url, headers: undefined });
}

/** The methods of a path, with those that a server answers without a definition. */
function withImplied(methods: readonly string[]): string[] {
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
}
