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
import { type Handler, splitTarget } from "../http/handler.ts";
import { createExtensionReader } from "../openapi/extension.ts";
import type { Document } from "../openapi/document.ts";
import { listOperations, type Operation } from "../openapi/operation.ts";
import { type Action, gatewayAction, localAction } from "./action.ts";
import {
  type AnswerSource,
  MOCKED,
  prepareAnswer,
  type PreparedAnswer,
  problemAnswer,
  redirectAnswer,
  statusAnswer,
} from "./answer.ts";
import { basePathsOf } from "./base_path.ts";
import { type Checker, createChecker } from "./checker.ts";
import { isPreflight, preflightHeaders, withCors } from "./cors.ts";
import { type BodyGenerator, createBodyGenerator } from "./generate/generate.ts";
import { NO_PREFERENCES, readPreferences } from "./preferences.ts";
import { disabled, noMethod, noPath, notMocked } from "./problems.ts";
import { makeReady, type ReadyAnswer, respond as toResponse, type SendOptions } from "./respond.ts";
import { prepareRefusal } from "./refusal.ts";
import { createRouter } from "./router.ts";
import type { QueryFormats, RequestTarget, Validation } from "./validate.ts";

/** How a mock server answers. */
export interface MockOptions {
  /** Seed of generated bodies: the same seed gives the same bodies. Default: 0. */
  seed?: number;
  /** Whether each answer is generated with the next seed. Default: `false`. */
  dynamic?: boolean;
  /** Whether an operation without an exact 2xx code is answered by its `2XX`, then by its `default`. Default: `false`. */
  anyStatus?: boolean;
  /** Whether operations are answered as by a gateway: only those with `x-svc.mocking.enabled`. Default: `false`. */
  asGateway?: boolean;
  /** Whether pages of other origins may read the answers. Default: `true`. */
  cors?: boolean;
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
  /** How clients write arrays and objects into queries, where they differ from the definition. */
  queryFormats?: QueryFormats;
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
  /** What is wrong with the request; absent when it wasn't checked. */
  readonly validation?: Validation | Promise<Validation>;
}

/** An operation, with what was prepared for it. */
interface MockedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly action: Action;
  /** Answers by what the requests asked for. */
  readonly answers: Map<string, ReadyAnswer | Promise<ReadyAnswer>>;
  /** How many answers were generated anew. */
  generated: number;
}

/** More different wishes of clients than this are not remembered for an operation. */
const MOST_ANSWERS = 200;

/**
 * Makes a mock server for a definition, as a function from requests to responses.
 *
 * @param documents The definition, or several that are answered together.
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
 */
export function createMock(documents: Document | readonly Document[], options: MockOptions = {}): Handler {
  const respond = createResponder("sources" in documents ? [documents] : documents, options);
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
  const { seed = 0, dynamic = false, anyStatus = false, asGateway = false, cors = true, upstream } = options;
  const { pause = () => Promise.resolve(), validate = "off", queryFormats = {} } = options;
  const operations = documents.flatMap((document) => {
    const readSettings = createExtensionReader(document, "warning");
    return listOperations(document).map((operation): MockedOperation => {
      const { settings } = readSettings(operation);
      const action = asGateway ? gatewayAction(settings) : localAction(settings, upstream !== undefined);
      return { method: operation.method, path: operation.path, operation, action, answers: new Map(), generated: 0 };
    });
  });
  const router = createRouter(operations, ({ operation }) => basePathsOf(operation));
  const generators = new Map<Document, Promise<BodyGenerator>>();
  const check = asGateway || validate === "off" ? undefined : createChecker(queryFormats);
  const sending: SendOptions = { cors, pause };
  return respond;

  function respond(request: Request): Answer | Promise<Answer> {
    const { path, query } = splitTarget(request.url);
    const match = router.match(request.method, path);
    switch (match.kind) {
      case "found":
        return respondFor(match.route, request, { path, query, pathParameters: match.parameters });
      case "not-found":
        return respondOptions(request, []) ?? send(request, problemAnswer(noPath(path, operations)));
      case "method-not-allowed": {
        const allowed = withImplied(match.allowed);
        const problem = noMethod(request.method, path, allowed);
        return respondOptions(request, allowed) ??
          send(request, problemAnswer(problem, [["allow", allowed.join(", ")]]));
      }
    }
  }

  function respondFor(mocked: MockedOperation, request: Request, target: RequestTarget): Answer | Promise<Answer> {
    const { operation, action } = mocked;
    switch (action.kind) {
      case "mock":
        return check === undefined
          ? respondMocked(mocked, action.generate, request, target)
          : respondChecked(check, mocked, action.generate, request, target);
      case "disabled":
        return send(request, problemAnswer(disabled(operation)), operation);
      case "redirect":
        return send(request, redirectAnswer(action.redirect, request.url), operation);
      case "upstream":
        return upstream === undefined
          ? send(request, problemAnswer(notMocked(operation)), operation)
          : respondUpstream(upstream, operation, request);
    }
  }

  function respondChecked(
    check: Checker,
    mocked: MockedOperation,
    generate: boolean,
    request: Request,
    target: RequestTarget,
  ): Answer | Promise<Answer> {
    const checking = check(mocked.operation, request, target);
    // Who only wants to be told need not wait for what is yet to be made ready; a body must be read before the answer.
    if (!(checking instanceof Promise) || (validate === "warn" && request.body === null)) return conclude(checking);
    return checking.then(conclude);

    function conclude(validation: Validation | Promise<Validation>): Answer | Promise<Answer> {
      const refused = validate === "error" && !(validation instanceof Promise) && validation.refusal !== undefined;
      const answer = refused
        ? respondRefused(mocked.operation, request, validation)
        : respondMocked(mocked, generate, request, target);
      return answer instanceof Promise
        ? answer.then((answer) => ({ ...answer, validation }))
        : { ...answer, validation };
    }
  }

  async function respondRefused(operation: Operation, request: Request, validation: Validation): Promise<Answer> {
    const accept = request.headers.get("accept");
    return send(request, await prepareRefusal(operation, validation, { accept, seed }, generatorOf), operation);
  }

  function respondMocked(
    mocked: MockedOperation,
    generate: boolean,
    request: Request,
    { query }: RequestTarget,
  ): Answer | Promise<Answer> {
    const { operation, answers } = mocked;
    const accept = request.headers.get("accept");
    const preferences = asGateway ? NO_PREFERENCES : readPreferences(request.headers.get("prefer"), query);
    const isNew = preferences.dynamic ?? dynamic;
    const key = preferences === NO_PREFERENCES ? accept ?? "" : `${accept ?? ""}\n${JSON.stringify(preferences)}`;
    const known = isNew ? undefined : answers.get(key);
    if (known !== undefined && !(known instanceof Promise)) return sendReady(request, known, operation);

    const wish = {
      accept,
      preferences: isNew ? { ...preferences, dynamic: true } : preferences,
      seed: (preferences.seed ?? seed) + (isNew ? ++mocked.generated : 0),
    };
    const preparing = known ?? prepareAnswer(operation, wish, { anyStatus, generate, generatorOf }).then(ready);
    if (!isNew && known === undefined) remember(answers, key, preparing);
    return preparing.then((answer) => sendReady(request, answer, operation));
  }

  async function respondUpstream(upstream: Handler, operation: Operation, request: Request): Promise<Answer> {
    const response = await upstream(request);
    const mediaType = response.headers.get("content-type") ?? "";
    return { response, operation, mediaType, source: "upstream" };
  }

  /** Answers a preflight, or tells which methods a path has. */
  function respondOptions(request: Request, allowed: readonly string[]): Answer | undefined {
    if (request.method !== "OPTIONS") return undefined;
    if (cors && isPreflight(request)) return send(request, statusAnswer(204, preflightHeaders(request, allowed)));
    if (allowed.length === 0) return undefined;
    return send(request, statusAnswer(204, [["allow", allowed.join(", ")], MOCKED]));
  }

  function send(request: Request, answer: PreparedAnswer, operation?: Operation): Answer {
    return sendReady(request, ready(answer), operation);
  }

  function sendReady(request: Request, answer: ReadyAnswer, operation?: Operation): Answer {
    const { mediaType, source } = answer;
    const response = toResponse(request, answer, sending);
    return operation === undefined ? { response, mediaType, source } : { response, operation, mediaType, source };
  }

  function generatorOf(document: Document): Promise<BodyGenerator> {
    const generator = generators.get(document) ?? createBodyGenerator(document);
    generators.set(document, generator);
    return generator;
  }

  function ready(answer: PreparedAnswer): ReadyAnswer {
    return makeReady(answer, sending);
  }
}

/** The methods of a path, with those that a server gives of its own accord. */
function withImplied(methods: readonly string[]): string[] {
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
}

/** Keeps an answer for the next request that asks for the same; one that couldn't be prepared is tried again. */
function remember(answers: MockedOperation["answers"], key: string, preparing: Promise<ReadyAnswer>): void {
  // Clients that never ask for the same twice must not fill the memory.
  if (answers.size >= MOST_ANSWERS) answers.clear();
  answers.set(key, preparing);
  preparing.then((answer) => answers.set(key, answer), () => answers.delete(key));
}
