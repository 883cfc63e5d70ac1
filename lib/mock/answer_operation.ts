/**
 * Answers a request for a mocked operation. `createMock`, `gw mock`, the embedded gateway and the mocks of a cluster all
 * call {@linkcode answerOperation}.
 *
 * @module
 */
import { andThen } from "../http/and_then.ts";
import { UnreadBodyError } from "../http/limits/body_limits.ts";
import { hasBody, type KnownBody, type ReadBody, readBody } from "../http/body.ts";
import { listParameters } from "../openapi/parameter.ts";
import { type Answer, problemAnswer } from "./answer/answer.ts";
import { decodeRequest } from "./callback/callback_context.ts";
import { type Engine, MOST_BODY } from "./engine.ts";
import {
  answerFromDefinition,
  exampleCheckOf,
  type OperationHandler,
  planCallbacksOf,
  refuseRequest,
} from "./operation/operation_handler.ts";
import { withApplied } from "./answer/prepare_answer.ts";
import {
  NO_PREFERENCES,
  NO_REQUEST_PREFERENCES,
  type Preferences,
  readPreferences,
  type RequestPreferences,
} from "./answer/preferences.ts";
import { observeReply, type Reply, replyWith, send } from "./operation/reply.ts";
import { answerByRule, brokenAnswer, replacesAnswer, withRuleHeaders } from "./operation/answer_by_rule.ts";
import { describeFault } from "./rules/describe_fault.ts";
import { sendsNothing } from "../openapi/extension/rule.ts";
import type { Chosen, RuleList } from "./rules/rule_list.ts";
import type { Trace } from "./explain/trace.ts";
import type { Session } from "./session/session.ts";
import type { Unreadable } from "./state/state_request.ts";
import type { RequestTarget, Validation } from "./validation/validate_request.ts";

/** A request for a mocked operation. */
interface OperationRequest {
  readonly engine: Engine;
  readonly handler: OperationHandler;
  readonly request: Request;
  readonly target: RequestTarget;
  /** Absent if the engine has no sessions. */
  readonly session: Session | undefined;
  /** The rules of the session; absent if neither the session nor the operation has any. */
  readonly rules: RuleList | undefined;
  /** Receives what is decided; absent unless the request is explained. */
  readonly trace: Trace | undefined;
}

/**
 * Answers a request for a mocked operation: reads the body if something needs it, checks the request, chooses the
 * answer, and describes the reply. Each step runs at once if the result of the step before is there, so that a request
 * whose answer is cached makes no promise.
 *
 * @param handler The operation.
 * @param session The session of the request; absent if the engine has no sessions.
 * @param trace Receives what is decided, for an explanation. Default: the request isn't explained.
 */
export function answerOperation(
  engine: Engine,
  handler: OperationHandler,
  request: Request,
  target: RequestTarget,
  session: Session | undefined,
  trace?: Trace,
): Reply | Promise<Reply> {
  if (trace !== undefined) trace.handler = handler;
  const asked = { engine, handler, request, target, session, rules: session && rulesOf(handler, session), trace };
  const reply = andThen(
    readNeededBody(asked),
    (body) =>
      andThen(
        checkRequest(asked, body),
        (checked) =>
          andThen(chooseAnswer(asked, body, checked), (choice) => describeReply(asked, body, checked, choice)),
      ),
  );
  return reply instanceof Promise ? reply.catch((error: unknown) => refuseUnread(asked, error)) : reply;
}

/** Answers a request whose body wasn't read to its end. */
function refuseUnread({ engine: { sending }, handler, request, trace }: OperationRequest, error: unknown): Reply {
  if (!(error instanceof UnreadBodyError)) throw error;
  if (trace !== undefined) trace.refused = { step: "request", problem: error.problem };
  return replyWith(request, problemAnswer(error.problem, error.headers), sending, handler.operation);
}

function rulesOf({ declaredRules }: OperationHandler, { rules }: Session): RuleList | undefined {
  return declaredRules.length > 0 || rules.size > 0 ? rules : undefined;
}

/** The body of a request, which an answer or a callback depends on. */
interface RequestBody {
  readonly bytes: Uint8Array;
  /** The decoded body; `undefined` if it is empty or unreadable. */
  readonly value: unknown;
  /** Why the body is unreadable; absent if it was decoded. */
  readonly unreadable: Unreadable | undefined;
}

/** Reads the body before the check, since a body can be read only once. `undefined` if nothing needs it. */
function readNeededBody(asked: OperationRequest): RequestBody | undefined | Promise<RequestBody> {
  const { handler, request, rules } = asked;
  const isNeeded = handler.readsBody || rules?.usesBody(handler) === true;
  return isNeeded && hasBody(request) ? readRequestBody(asked) : undefined;
}

/** Reads and decodes a body. An unreadable body (malformed, too large) has no value, and the reason in `unreadable`. */
async function readRequestBody({ handler, request }: OperationRequest): Promise<RequestBody> {
  const { operation, context: { bodies, options: { formFormats } } } = handler;
  const read = await readBody(request, MOST_BODY, bodies);
  const bytes = read.kind === "bytes" ? read.bytes : new Uint8Array();
  if (bytes.length === 0) return { bytes, value: undefined, unreadable: unreadableOf(read) };
  const decoded = await decodeRequest(operation, request.headers, bytes, formFormats);
  const isJson = JSON_TYPE.test(request.headers.get("content-type") ?? "");
  switch (decoded.kind) {
    case "value":
      return { bytes, value: decoded.value, unreadable: undefined };
    case "too-large":
      return { bytes, value: undefined, unreadable: { status: 413, detail: `The body ${decoded.message}.` } };
    default:
      return { bytes, value: undefined, unreadable: isJson ? MALFORMED : undefined };
  }
}

/** JSON media types. A body of such a type that decodes to no value is malformed. */
const JSON_TYPE = /^[^;]*[/+]json\s*(?:;|$)/i;

const MALFORMED: Unreadable = { status: 400, detail: "The body is not JSON, or nested too deep." };

function unreadableOf(read: ReadBody): Unreadable | undefined {
  switch (read.kind) {
    case "bytes":
      return undefined;
    case "too-large":
      return { status: 413, detail: `The body is larger than ${MOST_BODY} bytes.` };
    case "unknown-coding":
      return { status: 415, detail: `The body ${read.message}.` };
    case "broken":
      return { status: 400, detail: `The body can't be read: ${read.message}.` };
  }
}

/** The check of a request, as far as its answer waits for it. */
interface Checked {
  readonly validation: Validation | Promise<Validation> | undefined;
  /** The validation of a request that is refused. */
  readonly refused: Validation | undefined;
  /** The body as far as the check has read it. */
  readonly body: KnownBody | undefined;
}

const UNCHECKED: Checked = Object.freeze({ validation: undefined, refused: undefined, body: undefined });

function checkRequest(asked: OperationRequest, body: RequestBody | undefined): Checked | Promise<Checked> {
  const { engine: { check, refuses }, handler, request, target, trace } = asked;
  if (check === undefined) return UNCHECKED;
  const known: KnownBody = { bytes: body?.bytes };
  const validation = check(handler.operation, request, target, known);
  // In `warn` mode the answer doesn't wait for the validator, unless the request has a body, which must be read before
  // the response is sent.
  if (validation instanceof Promise && !refuses && !hasBody(request) && trace === undefined) {
    return { validation, refused: undefined, body: known };
  }
  return andThen(validation, (validation) => {
    const isRefused = refuses && validation.error !== undefined;
    if (trace !== undefined) Object.assign(trace, { validation, isRefused });
    return { validation, refused: isRefused ? validation : undefined, body: known };
  });
}

/** The decoded body of a request, as far as it was read for its answer or its check. */
async function valueOf(
  { handler: { operation, context: { options: { formFormats } } }, request }: OperationRequest,
  body: RequestBody | undefined,
  checked: KnownBody | undefined,
): Promise<unknown> {
  const bytes = checked?.bytes;
  if (body !== undefined || bytes === undefined || bytes.length === 0) return body?.value;
  const decoded = await decodeRequest(operation, request.headers, bytes, formFormats);
  return decoded.kind === "value" ? decoded.value : undefined;
}

/** The answer that was chosen for a request. */
interface Choice {
  readonly answer: Answer;
  /** Whether the answer was made for this request; else it was cached. */
  readonly isNew: boolean;
  /** The rules that apply; absent if none does. */
  readonly rule: Chosen | undefined;
  /** Remarks for the log about preferences that weren't honoured. */
  readonly remarks: readonly string[];
}

function chooseAnswer(
  asked: OperationRequest,
  body: RequestBody | undefined,
  { refused, body: checked }: Checked,
): Choice | Promise<Choice> {
  const { handler, request, target, rules, trace } = asked;
  if (refused !== undefined) {
    return valueOf(asked, body, checked)
      .then((body) => refuseRequest(handler, request, refused, { target, body }, trace))
      .then((answer) => ({ answer, isNew: true, rule: undefined, remarks: [] }));
  }
  const rule = rules?.choose(handler, request, target, body?.value, trace?.rules);
  const preferred = preferencesOf(asked);
  if (trace !== undefined) Object.assign(trace, { chosen: rule, preferred });
  const { remarks } = preferred;
  const answer = answerInOrder(asked, body, rule, preferred);
  return answer instanceof Promise
    ? answer.then((answer) => ({ answer, isNew: true, rule, remarks }))
    : { answer, isNew: false, rule, remarks };
}

/**
 * Answers a request by the first of these that applies: a rule, the preferences of the client, an example whose
 * conditions (`x-svc.mocking.match`) the request meets, the state of the session, the operation's example or generated
 * body.
 */
function answerInOrder(
  { engine: { answerBound }, handler, request, target, session, trace }: OperationRequest,
  body: RequestBody | undefined,
  rule: Chosen | undefined,
  { preferences }: RequestPreferences,
): Answer | Promise<Answer> {
  const outcome = rule?.outcome;
  if (outcome !== undefined && sendsNothing(outcome)) return brokenAnswer(handler, outcome);
  if (outcome !== undefined && replacesAnswer(outcome)) return answerByRule(handler, request, outcome, trace);
  const { binding, matcher } = handler;
  const choice = matcher?.match(request, target, body?.value, trace?.examples);
  const isBound = binding !== undefined && !choosesAnswer(preferences) && choice === undefined;
  const { arraySize } = preferences;
  if (trace !== undefined) trace.isBound = isBound;
  const answer = isBound && answerBound !== undefined && session !== undefined
    ? andThen(
      answerBound(binding, session, {
        request,
        target,
        body: body?.value,
        unreadable: body?.unreadable,
        arraySize,
        trace,
      }),
      // An operation whose response can't be resolved isn't answered from state.
      (answer) =>
        answer === undefined
          ? answerFromDefinition(handler, request, undefined, undefined, trace)
          : withApplied(answer, preferences, binding.kind === "list"),
    )
    : answerFromDefinition(handler, request, preferences, choice, trace);
  return outcome === undefined ? answer : andThen(answer, (answer) => withRuleHeaders(answer, outcome));
}

/** Whether a client prefers an answer that the definition has, or a generated one, to that of the state. */
function choosesAnswer(preferences: Preferences): boolean {
  if (preferences === NO_PREFERENCES) return false;
  return preferences.code !== undefined || preferences.example !== undefined || preferences.dynamic === true;
}

/** Limit of `array-size` for pages of other sites, since arrays of 10,000 items take up to a second to generate. */
const MOST_FOREIGN_ITEMS = 100;

/** The preferences of a request. Query parameters and headers that the operation declares get no remark. */
function preferencesOf({ engine, handler: { operation }, request, target }: OperationRequest): RequestPreferences {
  if (!engine.hasPreferences) return NO_REQUEST_PREFERENCES;
  const prefer = request.headers.get("prefer");
  // Parse preferences only if the request may have some: in the header `Prefer`, or in queries such as `__code`.
  if (prefer === null && !target.query.includes("__")) return NO_REQUEST_PREFERENCES;
  const read = readPreferences(
    prefer,
    target.query,
    (location, name) =>
      listParameters(operation).some((parameter) =>
        parameter.in === location && (parameter.name === name || parameter.name.toLowerCase() === name)
      ),
  );
  const { arraySize = 0 } = read.preferences;
  if (arraySize <= MOST_FOREIGN_ITEMS || !engine.isForeign(request)) return read;
  const remark = `The preference array-size=${arraySize} comes from a page of another site, which gets at most ` +
    `${MOST_FOREIGN_ITEMS} items. --cors-origin permits its origin, --allow-host its host.`;
  return {
    preferences: { ...read.preferences, arraySize: MOST_FOREIGN_ITEMS },
    remarks: [...read.remarks, remark],
  };
}

const NO_CALLBACKS = "No callbacks are sent: the request comes from a page of another site. --cors-origin permits " +
  "its origin, --allow-host its host.";

/** Makes the reply: the response, and what the log, the journal and callbacks need. */
function describeReply(
  { engine, handler, request, target }: OperationRequest,
  body: RequestBody | undefined,
  { validation, refused, body: checked }: Checked,
  { answer, isNew, rule, remarks }: Choice,
): Reply {
  // A refused request causes no callbacks.
  const hasCallbacks = handler.callbacks.length > 0 && answer.status < 400 && refused === undefined;
  // Callbacks come from this machine. A page of another site could make them act where the page itself may not.
  const isForeign = hasCallbacks && engine.isForeign(request);
  const callbacks = hasCallbacks && !isForeign
    ? planCallbacksOf(handler, request, target, answer, body?.bytes)
    : undefined;
  // The caller that awaits `callbacks` gets the error. Without this handler, an error before that would be an unhandled
  // rejection.
  callbacks?.catch(() => {});
  const sent = body?.bytes ?? checked?.bytes;
  // An answer that isn't sent has the fault as its detail.
  const fault = rule?.fault === undefined || sendsNothing({ fault: rule.fault.kind }) ? undefined : rule.fault;
  const own = fault === undefined && !isForeign ? remarks : [
    ...remarks,
    ...fault === undefined ? [] : [describeFault(fault)],
    ...isForeign ? [NO_CALLBACKS] : [],
  ];
  return observeReply(engine.observe, request, {
    response: send(request, answer, engine.sending),
    operation: handler.operation,
    mediaType: answer.mediaType,
    source: answer.source,
    detail: answer.detail,
    validation,
    callbacks,
    checkExamples: isNew && engine.check !== undefined ? exampleCheckOf(handler, answer) : undefined,
    remarks: isNew || own.length > 0 ? remarksOf(answer, isNew, own) : answer.remarks,
    details: { pathParameters: target.pathParameters, answer, operation: handler.names, sent, rules: rule?.ids },
    delay: rule?.delay,
    fault: rule?.fault,
  });
}

/** The remarks for the log: on the request, on its answer, and, when the answer is new, on the definition. */
function remarksOf(
  { remarks, notes }: Answer,
  isNew: boolean,
  ofRequest: readonly string[],
): readonly string[] | undefined {
  const first = isNew ? notes : undefined;
  const all = [...ofRequest, ...remarks ?? [], ...first ?? []];
  return all.length === 0 ? undefined : all;
}
