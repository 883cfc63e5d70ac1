/**
 * Answers the requests to bound operations from the state of a session:
 *
 * ```text
 * binding -> plan (once) -> item or items of the state -> change them, if the operation does -> nearest valid body
 * ```
 *
 * @module
 */
import { isNullBodyStatus } from "../../http/body.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Binding, BindingKind } from "../infer/resource.ts";
import type { Answer } from "../answer/answer.ts";
import type { AnswerTrace } from "../answer/answer_trace.ts";
import { buildProblem } from "../answer/build_answer.ts";
import { notAcceptable } from "../answer/problems.ts";
import { originalRequest } from "../../http/url/request_with_url.ts";
import type { RequestTarget } from "../validation/validate_request.ts";
import { answerCreate } from "./answer_create.ts";
import { answerDelete } from "./answer_delete.ts";
import { answerList } from "./answer_list.ts";
import { answerRead, cachedRead } from "./answer_read.ts";
import { answerChange } from "./answer_change.ts";
import { type AnsweredPlan, type BindingPlan, planBinding } from "./binding_plan.ts";
import { errorAnswer } from "./error_answer.ts";
import { StateFullError } from "./store/limits.ts";
import type { StateAnswers, StateContext } from "./state_context.ts";
import type { StateRequest, Unreadable } from "./state_request.ts";
import { requestScope } from "./item/item_place.ts";
import type { State } from "./store/store.ts";

/** A request for an operation with a binding. */
export interface BoundRequest {
  readonly request: Request;
  readonly target: RequestTarget;
  /** The decoded body; `undefined` if there is none. */
  readonly body: unknown;
  /** Why the body is unreadable; absent if it was decoded. */
  readonly unreadable?: Unreadable | undefined;
  /** The number of items that the client prefers of a list. */
  readonly arraySize?: number | undefined;
  /** Receives what is decided; absent unless the request is explained. */
  readonly trace?: AnswerTrace | undefined;
}

/** The parts of a session on which its answers depend. */
export interface StateSession {
  readonly state: State;
  readonly clock: { now(): number };
  readonly seed: number;
}

/**
 * Answers a request for an operation with a binding, from the state of a session.
 *
 * @returns `undefined`, or a promise of `undefined`, if the operation can't be answered from state.
 */
export type BoundAnswerer = (
  binding: Binding,
  session: StateSession,
  request: BoundRequest,
) => Answer | Promise<Answer | undefined>;

/** Makes the function that answers the operations with a binding of one server. */
export function createBoundAnswerer(answers: StateAnswers): BoundAnswerer {
  return (binding, { state, clock, seed }, { request, target, ...asked }) => {
    const { method, headers } = request;
    // The URL as the client sent it, with the session's base path, so that links in bodies lead to the same session.
    const { url } = originalRequest(request);
    const context = { answers, state, now: () => clock.now(), seed };
    return answerFromState(binding, context, { method, url, headers, ...target, ...asked });
  };
}

/**
 * Answers a request to a bound operation. Returns synchronously if a cached answer can be used.
 *
 * @returns `undefined`, or a promise of `undefined`, if the operation can't be answered from state.
 */
export function answerFromState(
  binding: Binding,
  context: StateContext,
  request: StateRequest,
): Answer | Promise<Answer | undefined> {
  const plan = planOf(binding, context.answers);
  if (plan instanceof Promise) {
    return plan.then(async (plan) => {
      await prepareItems(plan, context, request);
      return await answerWithinLimits(plan, context, request);
    });
  }
  const preparing = prepareItems(plan, context, request);
  if (preparing !== undefined) return preparing.then(() => answerWithinLimits(plan, context, request));
  const cached = binding.kind === "read" && request.trace === undefined
    ? cachedRead(plan, context, request)
    : undefined;
  return cached ?? answerWithinLimits(plan, context, request);
}

/** Prepares the initial items of all resources that an answer may need. `undefined` if all are prepared already. */
function prepareItems(plan: BindingPlan, { state }: StateContext, request: StateRequest): Promise<unknown> | undefined {
  let preparing: Promise<void>[] | undefined;
  for (const name of plan.related) {
    const pending = state.prepare(name);
    if (pending !== undefined) (preparing ??= []).push(pending);
  }
  return preparing === undefined
    ? fillItems(plan, state, request)
    : Promise.all(preparing).then(() => fillItems(plan, state, request));
}

/** Generates the initial items of the request's scope, and those of related resources without a scope, in slices. */
function fillItems(
  { binding, filled }: BindingPlan,
  state: State,
  request: StateRequest,
): Promise<unknown> | undefined {
  let filling: Promise<void>[] | undefined;
  const own = state.fill(binding.resource.name, requestScope(binding, request));
  if (own !== undefined) filling = [own];
  for (const name of filled) {
    const pending = state.fill(name, []);
    if (pending !== undefined) (filling ??= []).push(pending);
  }
  return filling && Promise.all(filling);
}

function planOf(binding: Binding, answers: StateAnswers): BindingPlan | Promise<BindingPlan> {
  const known = answers.plans.get(binding);
  if (known !== undefined) return known;
  const planning = planBinding(binding, answers.handlers, answers);
  answers.plans.set(binding, planning);
  // After a failure, the next request plans again.
  planning.then((plan) => answers.plans.set(binding, plan), () => answers.plans.delete(binding));
  return planning;
}

function answerWithinLimits(
  plan: BindingPlan,
  context: StateContext,
  request: StateRequest,
): Answer | Promise<Answer | undefined> {
  if (!isAnswered(plan)) return Promise.resolve(undefined);
  const { response, created = response, binding: { operation } } = plan;
  // Negotiate the media type before the state changes: a request that is answered by 406 must not change it.
  const accept = request.headers.get("accept");
  for (const { offers, status, node, mediaFor } of response === created ? [response] : [response, created]) {
    if (request.trace !== undefined) {
      const selected = { kind: "response", status, node } as const;
      Object.assign(request.trace, { selected, offers, negotiated: mediaFor(accept)?.negotiated });
    }
    if (offers.length > 0 && !isNullBodyStatus(status) && mediaFor(accept) === undefined) {
      return buildProblem(operation, notAcceptable(operation, accept ?? "", offers));
    }
  }
  const answered = answer(plan, context, request);
  return answered instanceof Promise ? answered.catch((error) => whenFull(operation, error)) : answered;
}

/** The answer to a request whose write would have exceeded a limit. */
function whenFull(operation: Operation, error: unknown): Answer {
  if (!(error instanceof StateFullError)) throw error;
  const { message, limit } = error;
  return buildProblem(operation, { title: reasonPhrase(507), status: 507, detail: message, limit });
}

function isAnswered(plan: BindingPlan): plan is AnsweredPlan {
  return plan.response !== undefined;
}

/** The kinds of operations that depend on what their body says. */
const READERS: ReadonlySet<BindingKind> = new Set(["create", "replace", "update", "list", "count"]);

function answer(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Answer | Promise<Answer | undefined> {
  const { kind } = plan.binding;
  const { unreadable } = request;
  // Other operations treat an unreadable body as empty. A write that did so would remove the fields of the item, and a
  // search would find all items, so they are refused.
  if (unreadable !== undefined && READERS.has(kind)) {
    return errorAnswer(plan, context, request, unreadable.status, unreadable.detail);
  }
  switch (kind) {
    case "list":
    case "count":
      return answerList(plan, context, request);
    case "read":
      return answerRead(plan, context, request);
    case "create":
      return answerCreate(plan, context, request);
    case "replace":
    case "update":
    case "action":
      return answerChange(plan, context, request);
    case "delete":
      return answerDelete(plan, context, request);
  }
}
