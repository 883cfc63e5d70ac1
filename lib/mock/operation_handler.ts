/**
 * Answers the requests to operations that are mocked: the request is checked, the example that it asks for chosen, and
 * the answer prepared, or looked up where the same was asked before.
 *
 * @module
 */
import { hasBody, readBody } from "../http/body.ts";
import type { Document } from "../openapi/document.ts";
import type { Operation } from "../openapi/operation.ts";
import { listParameters } from "../openapi/parameter.ts";
import { createSchemaCompiler, type SchemaCompiler } from "../schema/schema_compiler.ts";
import { createAnswerCaches } from "./answer_cache.ts";
import { prepareAnswer, type PreparedAnswer, problemAnswer } from "./answer.ts";
import { type Callback, listCallbacks, type Plan, planCallbacks } from "./callback.ts";
import { checkResponse, type ResponseViolation } from "./validation/check_response.ts";
import { createChecker } from "./validation/checker.ts";
import { describeRequest, describeResponse } from "./callback_context.ts";
import { createBodyRulesReader } from "./validation/explain_refusal.ts";
import { type BodyGenerator, createBodyGenerator } from "./generate/generate.ts";
import { createExampleMatcher, type ExampleChoice, type ExampleMatcher } from "./match.ts";
import {
  type AskedPreferences,
  NO_PREFERENCES,
  NOTHING_ASKED,
  PREFERENCE_QUERIES,
  readPreferences,
} from "./preferences.ts";
import { badExample } from "./problems.ts";
import { prepareRefusal } from "./error_response.ts";
import { makeReady, type ReadyAnswer } from "./send.ts";
import type { QueryFormats, RequestTarget, Validation } from "./validation/validate_request.ts";

/** How mocked operations are answered. */
export interface MockedOptions {
  seed: number;
  dynamic: boolean;
  anyStatus: boolean;
  cors: boolean;
  /** Whether clients may choose among the answers by `Prefer`. */
  preferences: boolean;
  validate: "off" | "warn" | "error";
  /** Whether an example that its schema refuses is answered as a problem. */
  errors: boolean;
  queryFormats: QueryFormats;
  callbacks: boolean;
}

/** What a mocked operation answers. */
export interface MockedAnswer {
  readonly answer: ReadyAnswer;
  /** What is wrong with the request; absent when it wasn't checked. */
  readonly validation: Validation | Promise<Validation> | undefined;
  /** What the operation's callbacks send after the answer; absent when it has none. */
  readonly callbacks: Promise<Plan[]> | undefined;
  /** Finds the examples in the answer that their schema refuses; only the first time that an answer is given. */
  readonly checkExamples: (() => Promise<ResponseViolation[]>) | undefined;
  /** Sentences for the log: which preferences of the client could not be honoured. */
  readonly remarks: readonly string[] | undefined;
}

/** Answers requests to one operation. */
export type Mocked = (request: Request, target: RequestTarget) => MockedAnswer | Promise<MockedAnswer>;

/** The body of a request: as sent, and as the value that it says. */
interface ReadRequestBody {
  bytes: Uint8Array;
  value: unknown;
}

/** What an operation's answers depend on, found out at its first request. */
interface Needs {
  matcher: ExampleMatcher | undefined;
  callbacks: readonly Callback[];
  /** Whether an answer can't be chosen, or a callback made, without the request's body. */
  body: boolean;
}

/** The largest body that is read to choose an answer, in bytes. */
const MOST_BODY = 10 * 1024 * 1024;

/**
 * Makes what answers the operations of definitions that are mocked.
 *
 * @returns A function that takes on an operation; `generate` says whether bodies are made where there are no examples.
 */
export function createMocker(options: MockedOptions): (operation: Operation, generate: boolean) => Mocked {
  const { seed, dynamic, anyStatus, validate, errors } = options;
  const generators = new Map<Document, Promise<BodyGenerator>>();
  const compilers = new Map<Document, Promise<SchemaCompiler>>();
  const createCache = createAnswerCaches();
  const check = validate === "off" ? undefined : createChecker(
    { ...options.queryFormats, ...(options.preferences ? { ownQueries: PREFERENCE_QUERIES } : {}) },
    compilerOf,
  );
  return take;

  function take(operation: Operation, generate: boolean): Mocked {
    const answers = createCache();
    const given = new WeakSet<ReadyAnswer>();
    const rules = { anyStatus, generate, generatorOf };
    const bodyRulesOf = createBodyRulesReader(operation.document, compilerOf);
    let needs: Needs | undefined;
    let made = 0;
    return (request, target) => {
      needs ??= needsOf(operation);
      return needs.body && hasBody(request)
        ? answerWithBody(needs, request, target)
        : answerChecked(needs, request, target);
    };

    async function answerWithBody(needs: Needs, request: Request, target: RequestTarget): Promise<MockedAnswer> {
      const read = await readBody(request, MOST_BODY);
      // A body that can't be read says nothing; what is wrong with it is for the check to find.
      const body = read.kind === "bytes" ? read.bytes : new Uint8Array();
      const { body: value } = await describeRequest(operation, request, target.pathParameters, body);
      return await answerChecked(needs, request, target, { bytes: body, value });
    }

    function answerChecked(
      needs: Needs,
      request: Request,
      target: RequestTarget,
      body?: ReadRequestBody,
    ): MockedAnswer | Promise<MockedAnswer> {
      if (check === undefined) return conclude(needs, request, target, body, undefined);
      const validation = check(operation, request, target, body?.bytes);
      // Who only wants to be told need not wait for what is yet to be made ready; a body must be read before the answer.
      return validation instanceof Promise && !(validate === "warn" && !hasBody(request))
        ? validation.then((validation) => conclude(needs, request, target, body, validation))
        : conclude(needs, request, target, body, validation);
    }

    function conclude(
      needs: Needs,
      request: Request,
      target: RequestTarget,
      body: ReadRequestBody | undefined,
      validation: Validation | Promise<Validation> | undefined,
    ): MockedAnswer | Promise<MockedAnswer> {
      const isRefused = validate === "error" && !(validation instanceof Promise) && validation?.refusal !== undefined;
      const asked = isRefused ? NOTHING_ASKED : askedOf(request, target);
      const answer = isRefused
        ? refuse(validation, request)
        : choose(request, asked, needs.matcher?.match(request, target, body?.value));
      return answer instanceof Promise
        ? answer.then((answer) => finish(answer, exampleCheckOf(answer)))
        : finish(answer, undefined);

      function finish(answer: ReadyAnswer, checkExamples: MockedAnswer["checkExamples"]): MockedAnswer {
        const { callbacks } = needs;
        // A request that wasn't accepted leads to nothing, also where a client asked for that answer.
        const isOver = callbacks.length === 0 || isRefused || answer.status >= 400;
        const plans = isOver ? undefined : plan(callbacks, request, target, answer, body?.bytes);
        // Who doesn't wait for them isn't to blame when they fail; who does is told all the same.
        plans?.catch(() => {});
        const remarks = asked.remarks.length === 0 ? answer.remarks : [...asked.remarks, ...answer.remarks ?? []];
        return { answer, validation, callbacks: plans, checkExamples, remarks };
      }
    }

    /** The check of an answer that was just prepared, and that no check stands before. */
    function exampleCheckOf(answer: ReadyAnswer): MockedAnswer["checkExamples"] {
      if (validate === "off" || errors || given.has(answer)) return undefined;
      given.add(answer);
      return () => checkResponse(operation, answer, compilerOf);
    }

    function askedOf(request: Request, { query }: RequestTarget): AskedPreferences {
      return options.preferences ? readPreferences(request.headers.get("prefer"), query, isDeclared) : NOTHING_ASKED;
    }

    /** Whether the operation has a parameter; asked about what looks like a preference, and is none. */
    function isDeclared(location: "header" | "query", name: string): boolean {
      return listParameters(operation).some((parameter) =>
        parameter.in === location && (parameter.name === name || parameter.name.toLowerCase() === name)
      );
    }

    /** Looks up the answer to what a request asks for, or prepares it. */
    function choose(
      request: Request,
      { preferences }: AskedPreferences,
      choice: ExampleChoice | undefined,
    ): ReadyAnswer | Promise<ReadyAnswer> {
      const accept = request.headers.get("accept");
      const isNew = preferences.dynamic ?? dynamic;
      const own = preferences.seed ?? (isNew ? seed + ++made : seed);
      const wish = { accept, preferences, choice, dynamic: isNew, seed: own };
      if (isNew) return prepareAnswer(operation, wish, rules).then(makeAnswerReady);

      const isPlain = preferences === NO_PREFERENCES && choice === undefined;
      const key = isPlain ? accept ?? "" : JSON.stringify([accept, preferences, choice]);
      const known = answers.get(key);
      if (known !== undefined) return known;
      const preparing = prepareAnswer(operation, wish, rules).then(makeAnswerReady);
      answers.set(key, preparing);
      return preparing;
    }

    async function refuse(validation: Validation, request: Request): Promise<ReadyAnswer> {
      const accept = request.headers.get("accept");
      return await makeAnswerReady(await prepareRefusal(operation, validation, { accept, seed }, rules, bodyRulesOf));
    }

    /** Gets an answer ready; a problem instead of it where its examples must be right and aren't. */
    async function makeAnswerReady(answer: PreparedAnswer): Promise<ReadyAnswer> {
      const violations = errors ? await checkResponse(operation, answer, compilerOf) : [];
      return makeReady(violations.length === 0 ? answer : problemAnswer(badExample(operation, violations)), options);
    }

    async function plan(
      callbacks: readonly Callback[],
      request: Request,
      { pathParameters }: RequestTarget,
      { status, headers, body }: ReadyAnswer,
      sent?: Uint8Array,
    ): Promise<Plan[]> {
      const response = {
        status,
        headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
      };
      return await planCallbacks(callbacks, {
        request: await describeRequest(operation, request, pathParameters, sent),
        response: await describeResponse(operation, response, body instanceof Uint8Array ? body : undefined),
      }, { generatorOf, seed });
    }
  }

  function needsOf(operation: Operation): Needs {
    const matcher = createExampleMatcher(operation);
    const callbacks = options.callbacks ? listCallbacks(operation) : [];
    return { matcher, callbacks, body: matcher?.usesBody === true || callbacks.length > 0 };
  }

  function generatorOf(document: Document): Promise<BodyGenerator> {
    const generator = generators.get(document) ?? createBodyGenerator(document);
    generators.set(document, generator);
    return generator;
  }

  function compilerOf(document: Document): Promise<SchemaCompiler> {
    const compiler = compilers.get(document) ??
      // Clients put back what they got; a gateway refuses that where its settings say so.
      createSchemaCompiler(document, { readOnly: "warned" });
    compilers.set(document, compiler);
    return compiler;
  }
}
