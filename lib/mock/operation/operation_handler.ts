/**
 * A mocked operation, with its prepared parts and its cached answers.
 *
 * @module
 */
import { type BodyLimits, defaultBodyLimits } from "../../http/limits/body_limits.ts";
import { loadOncePerKey } from "../../http/load_once.ts";
import { isToken } from "../../http/token.ts";
import type { Document } from "../../openapi/document.ts";
import { namesOf, type Operation, type OperationNames } from "../../openapi/operation.ts";
import { createDocumentValidator, type DocumentValidator } from "../../schema/document_validator.ts";
import { formatsOfQuery, type FormFormats, type QueryFormats } from "../../wire/value_format.ts";
import { AnswerCache, CacheBudget } from "../answer/answer_cache.ts";
import type { Answer, AnswerCriteria, AnswerRules } from "../answer/answer.ts";
import type { AnswerTrace } from "../answer/answer_trace.ts";
import { buildProblem } from "../answer/build_answer.ts";
import { type Callback, type CallbackPlan, listCallbacks } from "../callback/callback.ts";
import { describeRequest, describeResponse } from "../callback/callback_context.ts";
import type { ExampleChoice } from "../answer/example.ts";
import { createExampleMatcher, type ExampleMatcher } from "../condition/example_matcher.ts";
import { prepareErrorAnswer } from "../validation/error_response.ts";
import { type BodyGenerator, createBodyGenerator } from "../generate/generate.ts";
import type { Binding } from "../infer/resource.ts";
import { negotiateLoosely } from "../answer/negotiate.ts";
import { NO_PREFERENCES, type Preferences } from "../answer/preferences.ts";
import { prepareAnswer } from "../answer/prepare_answer.ts";
import { badExample } from "../answer/problems.ts";
import type { Rule } from "../../openapi/extension/rule.ts";
import { RuleAnswers } from "../rules/rule_answers.ts";
import { valueAt } from "../../schema/json/pointer.ts";
import { checkResponse, type ResponseViolation } from "../validation/check_response.ts";
import { type BodyRulesReader, createBodyRulesReader } from "../validation/explain_refusal.ts";
import type { RequestTarget, Validation } from "../validation/validate_request.ts";
import { writeJson } from "../../schema/json/json.ts";

export interface HandlerOptions {
  /** Seed of generated bodies. Default: 0. */
  readonly seed?: number | undefined;
  /** Whether each answer is generated with the next seed. Default: `false`. */
  readonly dynamic?: boolean | undefined;
  /** Whether `2XX`, 3xx and `default` are answered if there is no exact 2xx code. Default: `false`. */
  readonly anyStatus?: boolean | undefined;
  /** Whether an invalid example is answered with a problem. Default: `false`. */
  readonly errors?: boolean | undefined;
  /**
   * Whether operations may be stateful. Media types are then negotiated by `negotiateLoosely`, since official clients
   * accept only vendor types.
   */
  readonly stateful?: boolean | undefined;
  /** Whether requests are checked for credentials, which explanations tell. Default: `true`. */
  readonly security?: boolean | undefined;
  /** Whether callbacks are planned. Default: `false`. */
  readonly callbacks?: boolean | undefined;
  /** The formats of queries and forms, for callbacks and for the conditions of examples. Default: the definition's. */
  readonly queryFormats?: QueryFormats | undefined;
  readonly formFormats?: FormFormats | undefined;
  /** What the bodies of all requests may take together. Default: 64 MiB, without a limit of time. */
  readonly bodies?: BodyLimits | undefined;
}

/** The options and caches that the handlers of all operations of a server share. */
export interface HandlerContext {
  readonly options: HandlerOptions;
  readonly bodies: BodyLimits;
  readonly budget: CacheBudget;
  /** The cache of answers that rules make. */
  readonly ruleAnswers: RuleAnswers;
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  readonly validatorOf: (document: Document) => Promise<DocumentValidator>;
}

/** A mocked operation, with its prepared parts and cached answers. */
export interface OperationHandler {
  readonly operation: Operation;
  readonly names: OperationNames;
  readonly context: HandlerContext;
  readonly rules: AnswerRules;
  /** Selects examples by the contents of requests; absent if no example has conditions. */
  readonly matcher: ExampleMatcher | undefined;
  readonly callbacks: readonly Callback[];
  /** The operation's binding; absent if the operation is answered without state. */
  readonly binding: Binding | undefined;
  /** The rules in the operation's `x-svc.mocking`; usually empty. */
  readonly declaredRules: readonly Rule[];
  /** Whether an answer or a callback depends on the body of the request. */
  readonly readsBody: boolean;
  readonly cache: AnswerCache;
  /** Answers whose examples have been validated, or are about to be. */
  readonly checked: WeakSet<Answer>;
  readonly bodyRulesOf: BodyRulesReader;
  /** The number of answers that were generated with the next seed (`dynamic`). */
  generated: number;
}

export function createHandlerContext(options: HandlerOptions = {}): HandlerContext {
  const loadGenerator = loadOncePerKey(createBodyGenerator);
  // Many clients send `readOnly` properties back, so a mock server only warns about them. A gateway that validates
  // requests refuses them.
  const loadValidator = loadOncePerKey((document: Document) =>
    createDocumentValidator(document, { readOnly: "warned" })
  );
  return {
    options,
    bodies: options.bodies ?? defaultBodyLimits(),
    budget: new CacheBudget(),
    ruleAnswers: new RuleAnswers(),
    generatorOf: async (document) => await loadGenerator(document),
    validatorOf: async (document) => await loadValidator(document),
  };
}

/**
 * Makes the handler of an operation. Prepares everything that doesn't depend on a request.
 *
 * @param generate Whether a body is generated from the schema if a media type has no example.
 * @param binding The operation's binding. Default: the operation is answered without state.
 * @param declaredRules The rules in the operation's `x-svc.mocking`. Default: none.
 */
export function createOperationHandler(
  operation: Operation,
  generate: boolean,
  context: HandlerContext,
  binding?: Binding,
  declaredRules: readonly Rule[] = [],
): OperationHandler {
  const { options, generatorOf, validatorOf } = context;
  const { anyStatus = false, callbacks: plansCallbacks = false, queryFormats, stateful = false } = options;
  const matcher = createExampleMatcher(operation, formatsOfQuery(queryFormats), binding !== undefined);
  const callbacks = plansCallbacks ? listCallbacks(operation) : [];
  return {
    operation,
    names: namesOf(operation),
    context,
    rules: { anyStatus, generate, generatorOf, ...(stateful ? { negotiate: negotiateLoosely } : {}) },
    matcher,
    callbacks,
    binding,
    declaredRules,
    readsBody: matcher?.usesBody === true || callbacks.length > 0 || needsRequestBody(binding),
    cache: new AnswerCache(context.budget),
    checked: new WeakSet(),
    bodyRulesOf: createBodyRulesReader(operation.document, validatorOf),
    generated: 0,
  };
}

function needsRequestBody(binding: Binding | undefined): boolean {
  return binding !== undefined && binding.operation.method !== "GET" && binding.operation.method !== "HEAD";
}

/**
 * Answers a request by an example, or a generated body. Requests with equal criteria get the same cached answer, unless
 * `dynamic` demands a new body for each.
 *
 * @param preferences The preferences of the client. Default: none.
 * @param choice The example whose conditions the request meets. Default: none.
 * @param trace Receives what is decided; the answer is then made anew, and counts as no request. Default: none.
 */
export function answerFromDefinition(
  handler: OperationHandler,
  request: Pick<Request, "headers">,
  preferences: Preferences = NO_PREFERENCES,
  choice?: ExampleChoice,
  trace?: AnswerTrace,
): Answer | Promise<Answer> {
  const { options: { seed = 0, dynamic = false } } = handler.context;
  const accept = request.headers.get("accept");
  const isDynamic = preferences.dynamic ?? dynamic;
  if (isDynamic || trace !== undefined) {
    const next = seed + (isDynamic ? handler.generated + 1 : 0);
    if (isDynamic && trace === undefined && preferences.seed === undefined) handler.generated++;
    return prepare(handler, { accept, preferences, choice, dynamic: isDynamic, seed: preferences.seed ?? next, trace });
  }

  const isPlain = preferences === NO_PREFERENCES && choice === undefined;
  const key = isPlain ? accept ?? "" : writeJson([accept, preferences, choice]);
  const known = handler.cache.answers.get(key);
  if (known !== undefined) return known;
  const criteria = { accept, preferences, choice, dynamic: false, seed: preferences.seed ?? seed };
  const preparing = prepare(handler, criteria);
  handler.cache.set(key, preparing);
  return preparing;
}

/** The value at the location of a violation in a request; `undefined` if it is absent or wasn't decoded. */
function refusedValue(
  { headers }: Pick<Request, "headers">,
  { target: { pathParameters, query }, body }: { readonly target: RequestTarget; readonly body: unknown },
  [part, name = "", ...within]: readonly string[],
): unknown {
  switch (part) {
    case "body":
      return valueAt(body, name === "" ? [] : [name, ...within]);
    case "path":
      return pathParameters[name];
    case "query":
      return new URLSearchParams(query).get(name) ?? undefined;
    case "header":
      return isToken(name) ? headers.get(name) ?? undefined : undefined;
    default:
      return undefined;
  }
}

/** @param asked The request's target and decoded body, whose values the error may repeat. Default: it repeats none. */
export async function refuseRequest(
  { operation, context, rules, bodyRulesOf }: OperationHandler,
  request: Pick<Request, "headers">,
  validation: Validation,
  asked?: { readonly target: RequestTarget; readonly body: unknown },
  trace?: AnswerTrace,
): Promise<Answer> {
  const valueOf = asked && ((location: readonly string[]): unknown => refusedValue(request, asked, location));
  const criteria = { accept: request.headers.get("accept"), seed: context.options.seed ?? 0, trace };
  const answer = await prepareErrorAnswer(operation, validation, criteria, rules, bodyRulesOf, valueOf);
  return await withRightExamples(operation, answer, context);
}

/**
 * A function that validates the examples in an answer, which the caller may call after the reply is sent.
 *
 * @returns `undefined` if the examples were validated before.
 */
export function exampleCheckOf(
  { operation, checked, context: { options, validatorOf } }: OperationHandler,
  answer: Answer,
): (() => Promise<ResponseViolation[]>) | undefined {
  if (options.errors === true || checked.has(answer)) return undefined;
  checked.add(answer);
  return () => checkResponse(operation, answer, validatorOf);
}

/**
 * Plans the requests of the operation's callbacks, after an answer.
 *
 * @param sent The body of the request; absent if there is none.
 */
export async function planCallbacksOf(
  { operation, callbacks, context: { options: { seed = 0, formFormats }, generatorOf } }: OperationHandler,
  request: Request,
  { pathParameters }: RequestTarget,
  { init, body }: Answer,
  sent?: Uint8Array,
): Promise<CallbackPlan[]> {
  const response = { status: init.status ?? 200, headers: new Headers(init.headers) };
  const context = {
    request: await describeRequest(operation, request, pathParameters, sent, formFormats),
    response: await describeResponse(operation, response, body instanceof Uint8Array ? body : undefined),
  };
  const { planCallbacks } = await import("../callback/plan_callbacks.ts");
  return await planCallbacks(callbacks, context, { generatorOf, seed });
}

async function prepare(
  { operation, context, rules }: OperationHandler,
  criteria: AnswerCriteria,
): Promise<Answer> {
  return await withRightExamples(operation, await prepareAnswer(operation, criteria, rules), context);
}

/** The answer or, if its examples are invalid and `errors` is set, a problem. */
async function withRightExamples(
  operation: Operation,
  answer: Answer,
  { options, validatorOf }: HandlerContext,
): Promise<Answer> {
  const violations = options.errors === true ? await checkResponse(operation, answer, validatorOf) : [];
  return violations.length === 0 ? answer : buildProblem(operation, badExample(operation, violations));
}
