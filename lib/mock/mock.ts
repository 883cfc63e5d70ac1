/**
 * The mock server, from a definition to its replies:
 *
 * ```text
 * text -> parseDocument -> resolveReferences -> listOperations -> createRouter
 * request -> match -> check -> select response -> negotiate (media type) -> example or generated body -> send
 * ```
 *
 * An answer of an operation is prepared at the first request that needs it, and cached.
 *
 * @module
 */
import { hasBody, type KnownBody } from "../http/body.ts";
import { allowDirectRequests } from "../http/direct.ts";
import type { Handler } from "../http/handler.ts";
import { BAD_HOST, hostOf } from "../http/host.ts";
import { loadOnce } from "../http/load_once.ts";
import { splitTarget } from "../http/url.ts";
import type { DefinitionObject, Document } from "../openapi/document.ts";
import { type Answer, problemAnswer } from "./answer.ts";
import { answerInOrder } from "./answer_in_order.ts";
import { checkOptions } from "./check_options.ts";
import { listDocuments } from "./definitions.ts";
import { createMockedApi, createMockEngine, handlerOf, type MockEngine, type MockOptions } from "./mock_server.ts";
import { observeReply } from "./observe_reply.ts";
import { exampleCheckOf, type OperationHandler, planCallbacksOf, refuseRequest } from "./operation_handler.ts";
import { NO_REQUEST_PREFERENCES } from "./preferences.ts";
import { type Reply, replyWith, send } from "./reply.ts";
import { readRequestBody, type RequestBody } from "./request_body.ts";
import { preferencesOf } from "./request_preferences.ts";
import type { Chosen, RuleList } from "./rules/rule_list.ts";
import type { Session } from "./session/session.ts";
import { namesSession, recordReply, replyInNamedSession } from "./session_reply.ts";
import { loadServerParts } from "./server_parts.ts";
import { replyBeforeOperation, replyUnmocked } from "./unmocked.ts";
import type { RequestTarget, Validation } from "./validation/validate_request.ts";

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
    const engine = createMockEngine(api, options, {});
    const handler = handlerOfEngine(engine);
    const isDirect = engine.check === undefined && engine.observe === undefined && options.callbacks !== true;
    return isDirect ? allowDirectRequests(handler) : handler;
  }
  let handler: Handler | undefined;
  const load = loadOnce(async () =>
    handler = handlerOfEngine(createMockEngine(api, options, await loadServerParts(api.needs)))
  );
  reportAtRequests(load());
  return (request) => handler === undefined ? load().then((loaded) => loaded(request)) : handler(request);
}

/** Leaves the error of a load to the requests. An error before the first request would be an unhandled rejection. */
function reportAtRequests(loading: Promise<Handler>): void {
  loading.catch(() => {});
}

function handlerOfEngine(engine: MockEngine): Handler {
  return (request) => {
    const replied = respond(engine, request);
    return replied instanceof Promise ? replied.then(({ response }) => response) : replied.response;
  };
}

/**
 * Replies to a request in its session, if the server has sessions.
 *
 * @param session The session of a request that names no session. Default: the shared session.
 */
export function respond(
  server: MockEngine,
  request: Request,
  session: Session | undefined = server.sessions?.shared,
): Reply | Promise<Reply> {
  if (hostOf(request, server.parseHost) === undefined) {
    return replyWith(request, problemAnswer(BAD_HOST), server.sending);
  }
  const requested = splitTarget(request.url);
  if (session === undefined) return reply(server, undefined, request, requested);
  if (namesSession(server, request, requested.path)) return replyInNamedSession(server, request, session, reply);
  return recordReply(session, request, reply(server, session, request, requested));
}

/**
 * Replies to a request: finds its operation, checks the request, answers it, and describes the reply for the log.
 * Returns a promise only if a step is asynchronous, which saves time.
 *
 * @param requested Path and query of the request's URL.
 */
function reply(
  server: MockEngine,
  session: Session | undefined,
  request: Request,
  { path, query } = splitTarget(request.url),
): Reply | Promise<Reply> {
  const match = server.router.match(request.method, path, request);
  if (request.method === "OPTIONS" || path.startsWith(server.controlPath)) {
    const first = replyBeforeOperation(server, session, request, path, match);
    if (first !== undefined) return first;
  }
  if (match.kind !== "found" || match.route.operation === undefined || match.route.action.kind !== "mock") {
    return replyUnmocked(server, request, path, match);
  }
  const handler = match.route.handler ??= handlerOf(server, match.route, match.route.action);
  const target = { path, query, pathParameters: match.parameters };
  return answerRequest(server, { session, request, handler, target }, NOTHING_DONE);
}

/** A request for a mocked operation. */
interface OperationRequest {
  readonly session: Session | undefined;
  readonly request: Request;
  readonly handler: OperationHandler;
  readonly target: RequestTarget;
}

/** The results of the steps of `answerRequest()` so far. */
interface Done {
  readonly body?: RequestBody | undefined;
  /** The body as far as the check has read it, for the journal. */
  readonly checked?: KnownBody | undefined;
  readonly validation?: Validation | Promise<Validation> | undefined;
  /** The outcome of the rule that applies, known once the answer is. */
  readonly chosen?: Chosen | undefined;
  /** The answer, if preparing it was asynchronous. */
  readonly answer?: Answer | undefined;
}

const NOTHING_DONE: Done = Object.freeze({});

/**
 * Checks a request for an operation, answers it, and describes the reply. After each asynchronous step, `resume()`
 * calls this function again with the result of the step in `done`.
 */
function answerRequest(server: MockEngine, asked: OperationRequest, done: Done): Reply | Promise<Reply> {
  // A body that the answer depends on is read before the check, since a body can be read only once.
  const { session, request, handler, target } = asked;
  const { body } = done;
  const rules = session && rulesFor(handler, session);
  if ((handler.readsBody || rules?.usesBody(handler) === true) && body === undefined && hasBody(request)) {
    return resume(server, asked, {}, "body", readRequestBody(handler, request));
  }
  const checked = done.checked ?? (server.check && { bytes: body?.bytes });
  const validation = done.validation ?? server.check?.(handler.operation, request, target, checked);
  // In `warn` mode the answer doesn't wait for the validator, unless the request has a body, which must be read before
  // the response is sent.
  if (validation instanceof Promise && done.validation === undefined && (server.refuses || hasBody(request))) {
    return resume(server, asked, { body, checked }, "validation", validation);
  }

  const refused = refusalOf(server, validation);
  // Parse preferences only if the request may have some: in the header `Prefer`, or in queries such as `__code`.
  const prefer = request.headers.get("prefer");
  const preferred = server.hasPreferences && refused === undefined && (prefer !== null || target.query.includes("__"))
    ? preferencesOf(handler, prefer, target.query)
    : NO_REQUEST_PREFERENCES;
  const chosen = done.answer === undefined && refused === undefined
    ? rules?.choose(handler, request, target, body?.value)
    : done.chosen;
  const answered = {
    request,
    target,
    body: body?.value,
    unreadable: body?.unreadable,
    outcome: chosen?.outcome,
    preferences: preferred.preferences,
  };
  const answer = done.answer ??
    (refused === undefined
      ? answerInOrder(handler, server.answerBound, session, answered)
      : refuseRequest(handler, request, refused));
  const steps = { body, checked, validation, chosen, answer: done.answer };
  return answer instanceof Promise
    ? resume(server, asked, steps, "answer", answer)
    : describeReply(server, asked, steps, answer, preferred.remarks);
}

/**
 * Makes the reply: the response, and what the log, the journal and callbacks need.
 *
 * @param done The results of the steps of `answerRequest()`.
 * @param remarks Remarks for the log about the client's preferences.
 */
function describeReply(
  server: MockEngine,
  { request, handler, target }: OperationRequest,
  done: Done,
  answer: Answer,
  remarks: readonly string[],
): Reply {
  const { body, validation, chosen } = done;
  // A refused request causes no callbacks.
  const isAccepted = answer.status < 400 && refusalOf(server, validation) === undefined;
  const callbacks = handler.callbacks.length > 0 && isAccepted
    ? planCallbacksOf(handler, request, target, answer, body?.bytes)
    : undefined;
  // The caller that awaits `callbacks` gets the error. Without this handler, an error before that would be an unhandled
  // rejection.
  callbacks?.catch(() => {});
  const isPrepared = done.answer !== undefined;
  const sent = body?.bytes ?? done.checked?.bytes;
  const details = { pathParameters: target.pathParameters, answer, operation: handler.names, sent };
  const replied: Reply = {
    response: send(request, answer, server.sending),
    operation: handler.operation,
    mediaType: answer.mediaType,
    source: answer.source,
    detail: answer.detail,
    validation,
    callbacks,
    checkExamples: isPrepared && server.check !== undefined ? exampleCheckOf(handler, answer) : undefined,
    remarks: remarks.length === 0 ? answer.remarks : [...remarks, ...answer.remarks ?? []],
    details,
    delay: chosen?.delay,
    fault: chosen?.fault,
  };
  if (server.observe === undefined) return replied;
  return observeReply(server.observe, request, { ...details, sent: body?.bytes }, replied);
}

/** The validation of a request that is refused; `undefined` if the request isn't refused. */
function refusalOf({ refuses }: MockEngine, validation: Done["validation"]): Validation | undefined {
  return refuses && validation !== undefined && !(validation instanceof Promise) && validation.error !== undefined
    ? validation
    : undefined;
}

/** The rules of a session; `undefined` if neither the session nor the operation has any. */
function rulesFor({ declaredRules }: OperationHandler, { rules }: Session): RuleList | undefined {
  return declaredRules.length > 0 || rules.size > 0 ? rules : undefined;
}

/** Calls `answerRequest()` again when the result of an asynchronous step is known. */
function resume<Step extends keyof Done>(
  server: MockEngine,
  asked: OperationRequest,
  done: Done,
  step: Step,
  result: Promise<NonNullable<Done[Step]>>,
): Promise<Reply> {
  return result.then((value) => answerRequest(server, asked, { ...done, [step]: value }));
}
