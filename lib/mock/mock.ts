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
import { BAD_HOST, hostOf } from "../http/url/host.ts";
import { loadOnce } from "../http/load_once.ts";
import { splitTarget } from "../http/url/url.ts";
import type { DefinitionObject, Document } from "../openapi/document.ts";
import { problemAnswer } from "./answer/answer.ts";
import { answerOperation } from "./answer_operation.ts";
import { checkOptions } from "./check_options.ts";
import { listDocuments } from "./definitions.ts";
import { createLocalMock, createMockedApi, handlerOf, type LocalMock } from "./local_mock.ts";
import type { MockOptions } from "./mock_options.ts";
import { type Reply, replyWith } from "./operation/reply.ts";
import { loadServerParts, NO_PARTS } from "./server_parts.ts";
import type { Explanation } from "./explain/explanation.ts";
import type { Trace } from "./explain/trace.ts";
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
): Mock {
  checkOptions(options);
  const documents = listDocuments(definition);
  if (!(documents instanceof Promise)) return mockOf(documents, options);
  const parsed = documents.then((documents) => mockOf(documents, options));
  reportAtRequests(parsed);
  return laterMock(() => parsed, async (request) => await (await parsed)(request));
}

/** A mock server as a function from requests to responses. */
export interface Mock extends Handler {
  /**
   * Explains why a request gets its answer. The request isn't answered and changes nothing: it counts for no rule, no
   * journal records it, the upstream doesn't get it.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../openapi/document.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const { outcome } = await createMock(document).explain(new Request("http://localhost/petz"));
   * assert.equal(outcome.status, 404);
   * assert.match(outcome.reason, /The nearest is GET \/pets: Segment 1 of the path is "petz"/);
   * ```
   */
  explain(request: Request): Promise<Explanation>;
}

/** A mock server that is made while requests wait for it. */
function laterMock(load: () => Promise<Mock>, handler: Handler): Mock {
  return Object.assign(handler, {
    explain: async (request: Request): Promise<Explanation> => await (await load()).explain(request),
  });
}

function mockOf(documents: readonly Document[], options: MockOptions): Mock {
  const api = createMockedApi(documents, options);
  if (!api.needs.sessions && !api.needs.relay) {
    const mock = createLocalMock(api, options, NO_PARTS);
    const isDirect = mock.check === undefined && mock.observe === undefined && options.callbacks !== true;
    return isDirect ? allowDirectRequests(handlerOfMock(mock)) : handlerOfMock(mock);
  }
  let handler: Mock | undefined;
  const load = loadOnce(async () =>
    handler = handlerOfMock(createLocalMock(api, options, await loadServerParts(api.needs)))
  );
  reportAtRequests(load());
  return laterMock(
    load,
    (request) => handler === undefined ? load().then((loaded) => loaded(request)) : handler(request),
  );
}

/** Leaves the error of a load to the requests. An error before the first request would be an unhandled rejection. */
function reportAtRequests(loading: Promise<Mock>): void {
  loading.catch(() => {});
}

function handlerOfMock(mock: LocalMock): Mock {
  return Object.assign(
    (request: Request) => andThen(respond(mock, request), ({ response }) => response),
    { explain: (request: Request) => explain(mock, request) },
  );
}

/**
 * Replies to a request in its session, if the server has sessions.
 *
 * @param session The session of a request that names no session. Default: the shared session.
 * @param trace Receives what is decided, for an explanation. Default: the request isn't explained.
 */
export function respond(
  mock: LocalMock,
  request: Request,
  session: Session | undefined = mock.sessions?.shared,
  trace?: Trace,
): Reply | Promise<Reply> {
  if (hostOf(request, mock.parseHost) === undefined) {
    if (trace !== undefined) trace.refused = { step: "request", problem: BAD_HOST };
    return replyWith(request, problemAnswer(BAD_HOST), mock.sending);
  }
  const requested = splitTarget(request.url);
  if (session === undefined) return reply(mock, undefined, request, requested, trace);
  if (namesSession(mock, request, requested.path)) return replyInNamedSession(mock, request, session, reply, trace);
  const begun = session.journal?.begin();
  return recordReply(session, request, reply(mock, session, request, requested, trace), begun);
}

/**
 * Explains why a request gets its answer. The request isn't sent, and changes nothing: it counts for no rule, no journal
 * records it, and what it writes is dropped.
 *
 * @param session The session of a request that names no session. Default: the shared session.
 */
export async function explain(mock: LocalMock, request: Request, session?: Session): Promise<Explanation> {
  const { ALL_SERVER_PARTS: { explainRequest } } = await import("./all_server_parts.ts");
  return await explainRequest(mock, request, session ?? mock.sessions?.shared, respond);
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
  trace?: Trace,
): Reply | Promise<Reply> {
  const match = mock.router.match(request.method, path, request);
  if (trace !== undefined) Object.assign(trace, { session, path, match });
  if (request.method === "OPTIONS" || path.startsWith(mock.controlPath)) {
    const first = replyBeforeOperation(
      mock,
      session,
      request,
      path,
      match,
      (asked, session) => explain(mock, asked, session),
    );
    if (first !== undefined) return first;
  }
  if (match.kind !== "found" || match.route.operation === undefined || match.route.action.kind !== "mock") {
    return replyUnmocked(mock, request, path, match);
  }
  const handler = match.route.handler ?? handlerOf(mock, match.route, match.route.action);
  return answerOperation(mock, handler, request, { path, query, pathParameters: match.parameters }, session, trace);
}
