/**
 * The mock server, from a definition to its answers:
 *
 * ```text
 * text -> parseDocument -> resolveReferences -> listOperations -> createRouter
 * request -> match -> negotiate (status, media type) -> example or generated body -> respond
 * ```
 *
 * What an operation answers is prepared at its first request, and then looked up.
 *
 * @module
 */
import type { Handler } from "../http/handler.ts";
import { splitTarget } from "../http/url.ts";
import { BAD_HOST, hostOf } from "../http/host.ts";
import { type DefinitionObject, type Document, parseDocument } from "../openapi/document.ts";
import { createExtensionReader } from "../openapi/extension/extension.ts";
import { listOperations, nameOf, type Operation } from "../openapi/operation.ts";
import { type Action, gatewayAction, localAction } from "./action.ts";
import {
  type AnswerSource,
  MOCKED,
  type PreparedAnswer,
  problemAnswer,
  redirectAnswer,
  statusAnswer,
} from "./answer.ts";
import { basePathsOf } from "./base_path.ts";
import type { Plan } from "./callback.ts";
import type { ResponseViolation } from "./validation/check_response.ts";
import { isPreflight, preflightHeaders } from "./cors.ts";
import { answerControl, CONTROL_PREFIX, createIndex } from "./control.ts";
import { hiddenIn, type HiddenRoute } from "./hidden_route.ts";
import { createMocker, type Mocked, type MockedAnswer } from "./operation_handler.ts";
import { disabled, noMethod, noPath, notMocked } from "./problems.ts";
import { makeReady, respond as toResponse, type SendOptions } from "./send.ts";
import { createRouter, type Route } from "./router.ts";
import { answerPreflight, createOriginTest, shareAnswer } from "./upstream_cors.ts";
import type { QueryFormats, RequestTarget, Validation } from "./validation/validate_request.ts";

/** How a mock server answers. */
export interface MockOptions {
  /** Seed of generated bodies: the same seed gives the same bodies. Default: 0. */
  seed?: number;
  /** Whether each answer is generated with the next seed. Default: `false`. */
  dynamic?: boolean;
  /**
   * Whether an operation without an exact 2xx code is answered by its `2XX` as 200, else its lowest 3xx, else its
   * `default` as 200. Default: `false`.
   */
  anyStatus?: boolean;
  /** Whether operations are answered as by a gateway: only those with `x-svc.mocking.enabled`. Default: `false`. */
  asGateway?: boolean;
  /** Whether pages of other origins may read the answers. Default: `true`. */
  cors?: boolean;
  /**
   * Origins whose pages may read what the upstream answers without CORS headers of its own, such as
   * `https://app.example.com`; those of this machine always may. Default: none.
   */
  corsOrigins?: readonly string[];
  /**
   * What answers operations that aren't mocked: those with `x-svc.mocking.enabled: false`, or, as a gateway, all without
   * `true`. Default: nothing; without a gateway every operation is mocked then.
   */
  upstream?: Handler;
  /**
   * Whether requests are checked against the definition: not at all; `warn`: an answer tells what is wrong with its
   * request; `error`: such a request is refused. A gateway leaves this to its own settings. Default: `off`.
   */
  validate?: "off" | "warn" | "error";
  /**
   * Whether an example that its schema refuses is answered as a problem, 500, that lists what is wrong. Each answer is
   * checked once, when it is prepared. Default: `false`: where requests are checked, the first answer from such an
   * example comes with a check of it.
   */
  errors?: boolean;
  /** How clients write arrays and objects into queries, where they differ from the definition. */
  queryFormats?: QueryFormats;
  /** Whether answers come with what the operation's callbacks send after them. Default: `false`. */
  callbacks?: boolean;
  /**
   * Whether the server answers of itself: `/_gw/health`, and the list of operations at `/` where a definition has
   * nothing there. Default: `false`. A gateway never does.
   */
  control?: boolean;
  /** Waits between the items of a body that is sent item by item, such as `text/event-stream`. Default: not at all. */
  pause?: () => Promise<void>;
}

/** An answer, and what it was made from. */
export interface Answer {
  readonly response: Response;
  /** The operation that the request means; absent when it means none. */
  readonly operation?: Operation;
  /** Media type of the body; empty without one. */
  readonly mediaType: string;
  readonly source: AnswerSource;
  /** What is wrong, when the answer is a problem. */
  readonly detail?: string | undefined;
  /** What is wrong with the request; absent when it wasn't checked. */
  readonly validation?: Validation | Promise<Validation> | undefined;
  /** Sentences for the log: which preferences of the client could not be honoured. */
  readonly remarks?: readonly string[] | undefined;
  /**
   * What the operation's callbacks send after the answer; absent when it has none, they aren't wanted, or the answer is
   * that the request wasn't accepted (4xx, 5xx).
   */
  readonly callbacks?: Promise<Plan[]> | undefined;
  /**
   * Finds the examples in the answer that their schema refuses: work that is yet to be done. Absent when nothing is to be
   * checked, or it came with an earlier answer.
   */
  readonly checkExamples?: (() => Promise<ResponseViolation[]>) | undefined;
}

/** An operation, and what becomes of its requests. */
interface RoutedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly action: Exclude<Action, { kind: "mock" }> | { kind: "mock"; answer: Mocked };
}

/**
 * Makes a mock server for a definition, as a function from requests to responses.
 *
 * @param definition The definition, or several that are answered together. An object is parsed before the first answer,
 * without other texts; call `parseDocument` to see its diagnostics.
 * @param options How it answers.
 * @returns A handler, as `Deno.serve` takes it.
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
  if (isDocument(definition)) return mockOf([definition], options);
  if (isList(definition)) return mockOf(definition, options);
  const parsed = parseDocument(definition).then((document) => mockOf([document], options));
  return async (request) => await (await parsed)(request);
}

function isDocument(definition: object): definition is Document {
  return "sources" in definition;
}

function isList(definition: object): definition is readonly Document[] {
  return Array.isArray(definition);
}

function mockOf(documents: readonly Document[], options: MockOptions): Handler {
  const respond = createResponder(documents, options);
  return (request) => {
    const answer = respond(request);
    return answer instanceof Promise ? answer.then(({ response }) => response) : answer.response;
  };
}

/** Like {@linkcode createMock}, and tells what each answer was made from. */
export function createResponder(
  documents: readonly Document[],
  options: MockOptions = {},
): (request: Request) => Answer | Promise<Answer> {
  const { asGateway = false, cors = true, validate = "off", upstream, pause = () => Promise.resolve() } = options;
  const mock = createMocker({
    seed: options.seed ?? 0,
    dynamic: options.dynamic ?? false,
    anyStatus: options.anyStatus ?? false,
    cors,
    preferences: !asGateway,
    validate: asGateway ? "off" : validate,
    errors: options.errors ?? false,
    queryFormats: options.queryFormats ?? {},
    callbacks: options.callbacks ?? false,
  });
  const operations = documents.flatMap((document) => {
    const readSettings = createExtensionReader(document, "warning");
    return listOperations(document).map((operation): RoutedOperation => {
      const { settings } = readSettings(operation);
      const action = asGateway ? gatewayAction(settings) : localAction(settings, upstream !== undefined);
      const { method, path } = operation;
      return action.kind === "mock"
        ? { method, path, operation, action: { kind: "mock", answer: mock(operation, action.generate) } }
        : { method, path, operation, action };
    });
  });
  const router = createRouter<RoutedOperation | HiddenRoute>(
    asGateway ? [...operations, ...documents.flatMap(hiddenIn)] : operations,
    (route) => route.operation === undefined ? route.basePaths : basePathsOf(route.operation),
  );
  const permits = cors ? createOriginTest(options.corsOrigins ?? []) : undefined;
  const sending: SendOptions = { cors, pause };
  const hasControl = (options.control ?? false) && !asGateway;
  const indexFor = createIndex(documents, operations.map(({ operation }) => operation));
  return respond;

  function respond(request: Request): Answer | Promise<Answer> {
    if (hostOf(request) === undefined) return send(request, problemAnswer(BAD_HOST));
    const { path, query } = splitTarget(request.url);
    if (upstream !== undefined && isPreflight(request)) {
      const asked = router.match(request.headers.get("access-control-request-method") ?? "", path);
      if (asked.kind === "found" && asked.route.operation !== undefined && asked.route.action.kind === "upstream") {
        return respondUpstreamPreflight(upstream, asked.route.operation, request, path);
      }
    }
    const match = router.match(request.method, path);
    if (hasControl && path.startsWith(CONTROL_PREFIX) && !(match.kind === "found" && isLiteral(match.route))) {
      return respondOptions(request, path, ["GET", "HEAD", "OPTIONS"]) ??
        send(request, answerControl(request.method, path));
    }
    switch (match.kind) {
      case "found":
        if (match.route.operation === undefined) return send(request, problemAnswer(disabled(path)));
        return respondFor(match.route, request, { path, query, pathParameters: match.parameters });
      case "not-found": {
        const isIndex = hasControl && path === "/" && (request.method === "GET" || request.method === "HEAD");
        if (isIndex) return send(request, indexFor(request.headers.get("accept")));
        return respondOptions(request, path, []) ?? send(request, problemAnswer(noPath(path, operations)));
      }
      case "method-not-allowed": {
        const visible = match.allowed.filter((method) => !isDisabled(method, path));
        if (visible.length === 0) return send(request, problemAnswer(disabled(path)));
        const allowed = withImplied(visible);
        const problem = noMethod(request.method, path, allowed);
        return respondOptions(request, path, allowed) ??
          send(request, problemAnswer(problem, [["allow", allowed.join(", ")]]));
      }
    }
  }

  function respondFor(
    { operation, action }: RoutedOperation,
    request: Request,
    target: RequestTarget,
  ): Answer | Promise<Answer> {
    switch (action.kind) {
      case "mock": {
        const answer = action.answer(request, target);
        return answer instanceof Promise
          ? answer.then((answer) => sendMocked(request, answer, operation))
          : sendMocked(request, answer, operation);
      }
      case "disabled":
        return send(request, problemAnswer(disabled(nameOf(operation))), operation);
      case "redirect":
        return send(request, redirectAnswer(action.redirect, request.url), operation);
      case "upstream":
        return upstream === undefined
          ? send(request, problemAnswer(notMocked(operation)), operation)
          : respondUpstream(upstream, operation, request);
    }
  }

  async function respondUpstream(upstream: Handler, operation: Operation, request: Request): Promise<Answer> {
    const answered = await upstream(request);
    const response = permits === undefined ? answered : shareAnswer(answered, request.headers.get("origin"), permits);
    const mediaType = response.headers.get("content-type") ?? "";
    return { response, operation, mediaType, source: "upstream" };
  }

  async function respondUpstreamPreflight(
    upstream: Handler,
    operation: Operation,
    request: Request,
    path: string,
  ): Promise<Answer> {
    const { response, isUpstream } = await answerPreflight(request, methodsOf(path), upstream, permits);
    const mediaType = response.headers.get("content-type") ?? "";
    return { response, operation, mediaType, source: isUpstream ? "upstream" : "status" };
  }

  /** The methods of a path, with those that a server gives of its own accord. */
  function methodsOf(path: string): string[] {
    // No definition has a method without a name.
    const match = router.match("", path);
    return match.kind === "method-not-allowed" ? withImplied(match.allowed) : [];
  }

  function isDisabled(method: string, path: string): boolean {
    const match = router.match(method, path);
    return match.kind === "found" && (match.route.operation === undefined || match.route.action.kind === "disabled");
  }

  /** Methods whose operations are mocked: what a preflight allows for one of them, it must not for the upstream's. */
  function mockedAmong(methods: readonly string[], path: string): readonly string[] {
    if (upstream === undefined) return methods;
    return methods.filter((method) => {
      const match = router.match(method, path);
      return match.kind !== "found" || match.route.operation === undefined || match.route.action.kind !== "upstream";
    });
  }

  /** Answers a preflight, or tells which methods a path has. */
  function respondOptions(request: Request, path: string, allowed: readonly string[]): Answer | undefined {
    if (request.method !== "OPTIONS") return undefined;
    if (cors && isPreflight(request)) {
      return send(request, statusAnswer(204, preflightHeaders(request, mockedAmong(allowed, path))));
    }
    if (allowed.length === 0) return undefined;
    return send(request, statusAnswer(204, [["allow", allowed.join(", ")], MOCKED]));
  }

  function send(request: Request, answer: PreparedAnswer, operation?: Operation): Answer {
    const { mediaType, source, detail } = answer;
    const sent = { response: toResponse(request, makeReady(answer, sending), sending), mediaType, source, detail };
    return operation === undefined ? sent : { ...sent, operation };
  }

  function sendMocked(
    request: Request,
    { answer, validation, callbacks, checkExamples, remarks }: MockedAnswer,
    operation: Operation,
  ): Answer {
    const { mediaType, source, detail } = answer;
    const response = toResponse(request, answer, sending);
    return { response, operation, mediaType, source, detail, validation, callbacks, checkExamples, remarks };
  }
}

/** Whether a definition has the path of a route to the letter, without a template. */
function isLiteral({ path }: Route): boolean {
  return !path.includes("{");
}

/** The methods of a path, with those that a server gives of its own accord. */
function withImplied(methods: readonly string[]): string[] {
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
}
