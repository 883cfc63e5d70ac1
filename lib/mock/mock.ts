/**
 * The mock server, from a definition to its replies. Each step has a function of this name, in a file of this name:
 *
 * ```text
 * createMock       text -> parseDocument -> listOperations -> createRouter, createEngine        (when it is loaded)
 * respond          request -> session -> match -> answerOperation -> journal
 * answerOperation  read the body -> check -> choose -> describe
 * choose           rule, preference, condition of an example, state; else the definition:
 * prepareAnswer    select response -> negotiate -> select body -> buildAnswer                    (once, then cached)
 * ```
 *
 * @module
 */
import { andThen } from "../http/and_then.ts";
import { allowDirectRequests } from "../http/direct.ts";
import type { Handler } from "../http/handler.ts";
import { BAD_HOST, hostOf } from "../http/host.ts";
import { loadOnce } from "../http/load_once.ts";
import { splitTarget } from "../http/url.ts";
import type { DefinitionObject, Document } from "../openapi/document.ts";
import { problemAnswer } from "./answer/answer.ts";
import { answerOperation } from "./answer_operation.ts";
import { checkOptions } from "./check_options.ts";
import { listDocuments } from "./definitions.ts";
import { createLocalMock, createMockedApi, handlerOf, type LocalMock } from "./local_mock.ts";
import type { MockOptions } from "./mock_options.ts";
import { type Reply, replyWith } from "./operation/reply.ts";
import { loadServerParts, NO_PARTS } from "./server_parts.ts";
import type { Session } from "./session/session.ts";
import { namesSession, recordReply, replyInNamedSession } from "./session_reply.ts";
import { replyBeforeOperation, replyUnmocked } from "./unmocked.ts";

/**
 * Makes a mock server for a definition, as a function from requests to responses.
 *
 * @param definition The definition, or several that are mocked together. An object is parsed before the first answer,
 * without loading the files that it refers to; call `parseDocument` to see its diagnostics.
 * @param options How the mock server answers.
 * @returns A handler, as `Deno.serve` takes it.
 * @throws {TypeError} If the definition or the value of an option isn't of its type.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../openapi/document.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * paths:
 *   /pets:
 *     get:
 *       responses:
 *         "200": {description: Pets, content: {application/json: {example: [{name: Tom}]}}}
 * `);
 * const response = await createMock(document)(new Request("http://localhost/pets"));
 * assert.deepEqual(await response.json(), [{ name: "Tom" }]);
 * ```
 *
 * @example An object
 * ```ts
 * import assert from "node:assert/strict";
 * import type { OpenAPIV3 } from "openapi-types";
 *
 * const pets: OpenAPIV3.Document = {
 *   openapi: "3.0.4",
 *   info: { title: "Pets", version: "1.0.0" },
 *   paths: { "/pets": { delete: { responses: { "204": { description: "No pets." } } } } },
 * };
 * const response = await createMock(pets)(new Request("http://localhost/pets", { method: "DELETE" }));
 * assert.equal(response.status, 204);
 * ```
 */
export function createMock(
  definition: Document | readonly Document[] | DefinitionObject,
  options: MockOptions = {},
): Handler {
  checkOptions(options);
  const documents = listDocuments(definition);
  if (!(documents instanceof Promise)) return mockOf(documents, options);
  const parsed = documents.then((documents) => mockOf(documents, options));
  reportAtRequests(parsed);
  return async (request) => await (await parsed)(request);
}

function mockOf(documents: readonly Document[], options: MockOptions): Handler {
  const api = createMockedApi(documents, options);
  if (!api.needs.sessions && !api.needs.relay) {
    const mock = createLocalMock(api, options, NO_PARTS);
    const isDirect = mock.check === undefined && mock.observe === undefined && options.callbacks !== true;
    return isDirect ? allowDirectRequests(handlerOfMock(mock)) : handlerOfMock(mock);
  }
  let handler: Handler | undefined;
  const load = loadOnce(async () =>
    handler = handlerOfMock(createLocalMock(api, options, await loadServerParts(api.needs)))
  );
  reportAtRequests(load());
  return (request) => handler === undefined ? load().then((loaded) => loaded(request)) : handler(request);
}

/** Leaves the error of a load to the requests. An error before the first request would be an unhandled rejection. */
function reportAtRequests(loading: Promise<Handler>): void {
  loading.catch(() => {});
}

function handlerOfMock(mock: LocalMock): Handler {
  return (request) => andThen(respond(mock, request), ({ response }) => response);
}

/**
 * Replies to a request in its session, if the server has sessions.
 *
 * @param session The session of a request that names no session. Default: the shared session.
 */
export function respond(
  mock: LocalMock,
  request: Request,
  session: Session | undefined = mock.sessions?.shared,
): Reply | Promise<Reply> {
  if (hostOf(request, mock.parseHost) === undefined) {
    return replyWith(request, problemAnswer(BAD_HOST), mock.sending);
  }
  const requested = splitTarget(request.url);
  if (session === undefined) return reply(mock, undefined, request, requested);
  if (namesSession(mock, request, requested.path)) return replyInNamedSession(mock, request, session, reply);
  return recordReply(session, request, reply(mock, session, request, requested));
}

/**
 * Replies to a request: matches it with an operation, and answers it.
 *
 * @param requested Path and query of the request's URL.
 */
function reply(
  mock: LocalMock,
  session: Session | undefined,
  request: Request,
  { path, query } = splitTarget(request.url),
): Reply | Promise<Reply> {
  const match = mock.router.match(request.method, path, request);
  if (request.method === "OPTIONS" || path.startsWith(mock.controlPath)) {
    const first = replyBeforeOperation(mock, session, request, path, match);
    if (first !== undefined) return first;
  }
  if (match.kind !== "found" || match.route.operation === undefined || match.route.action.kind !== "mock") {
    return replyUnmocked(mock, request, path, match);
  }
  const handler = match.route.handler ?? handlerOf(mock, match.route, match.route.action);
  return answerOperation(mock, handler, request, { path, query, pathParameters: match.parameters }, session);
}
