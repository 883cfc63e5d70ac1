import { isNullBodyStatus } from "../../http/body.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { type Answer, withHeaders } from "../answer/answer.ts";
import type { AnswerTrace } from "../answer/answer_trace.ts";
import { buildAnswer, buildProblem } from "../answer/build_answer.ts";
import { listExamples } from "../answer/example.ts";
import { negotiate } from "../answer/negotiate.ts";
import type { OperationHandler } from "./operation_handler.ts";
import { NO_PREFERENCES } from "../answer/preferences.ts";
import { prepareAnswer } from "../answer/prepare_answer.ts";
import { listResponses, selectResponse } from "../answer/select_response.ts";
import { describeFault } from "../rules/describe_fault.ts";
import { faultOf, type Outcome } from "../../openapi/extension/rule.ts";

/** The `source` of an answer by a rule, in log and journal. */
const SOURCE = "rule";

/**
 * Whether an outcome replaces the operation's answer. Other outcomes only change its headers, delay it, or make sending
 * it fail.
 */
export function replacesAnswer({ status, body, example }: Outcome): boolean {
  return status !== undefined || body !== undefined || example !== undefined;
}

/**
 * The answer of a rule in place of the operation's own. The last answer is cached, since clients usually send the same
 * `Accept`.
 *
 * @param outcome The rule's outcome, for which {@linkcode replacesAnswer} holds.
 * @param trace Receives what is decided; the answer is then made anew. Default: none.
 */
export function answerByRule(
  handler: OperationHandler,
  { headers }: Pick<Request, "headers">,
  outcome: Outcome,
  trace?: AnswerTrace,
): Answer | Promise<Answer> {
  const accept = headers.get("accept");
  if (trace !== undefined) return prepareRuleAnswer(handler, accept, outcome, trace);
  const { ruleAnswers } = handler.context;
  const known = ruleAnswers.get(handler, outcome, accept);
  if (known !== undefined) return known;
  const answer = prepareRuleAnswer(handler, accept, outcome).then((answer) => {
    ruleAnswers.set(handler, outcome, { accept, answer });
    return answer;
  });
  ruleAnswers.set(handler, outcome, { accept, answer });
  return answer;
}

/** Adds the headers of an outcome to an answer. They replace the answer's headers of the same name. */
export function withRuleHeaders(answer: Answer, { headers = {} }: Outcome): Answer {
  return withHeaders(answer, Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The answer for a fault that breaks the connection: for the log, and for servers that can't break connections. */
export function brokenAnswer({ operation }: OperationHandler, outcome: Outcome): Answer {
  const detail = describeFault(faultOf(outcome) ?? { kind: "empty" });
  return { ...buildProblem(operation, { title: "Service Unavailable", status: 503, detail }), source: SOURCE };
}

async function prepareRuleAnswer(
  handler: OperationHandler,
  accept: string | null,
  outcome: Outcome,
  trace?: AnswerTrace,
): Promise<Answer> {
  const code = statusOf(handler, outcome);
  const answer = outcome.body === undefined || isNullBodyStatus(code ?? 200)
    ? await definedAnswer(handler, accept, outcome, code, trace)
    : await bodyAnswer(handler, accept, outcome, code ?? 200);
  return withRuleHeaders({ ...answer, source: SOURCE }, outcome);
}

/**
 * The status of a rule's answer: its own `status`, else the status of the response with its example, else the
 * operation's.
 */
export function statusOf({ operation, rules }: OperationHandler, { status, example }: Outcome): number | undefined {
  if (status !== undefined) return status;
  const [named] = example === undefined ? [] : statusesOf(operation, example);
  if (named !== undefined) return named;
  const selected = selectResponse(operation, { anyStatus: rules.anyStatus });
  return selected.kind === "response" ? selected.status : undefined;
}

/** The status codes of the responses that have an example of this name, 2xx first. */
export function statusesOf(operation: Operation, example: string): number[] {
  return listResponses(operation)
    .filter(([code, response]) => /^[1-5]\d\d$/.test(code) && ruleExamples(operation, response).has(example))
    .map(([code]) => Number(code))
    .sort((a, b) => Number(isSuccess(b)) - Number(isSuccess(a)));
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function ruleExamples({ document }: Operation, response: Node<"Response">): Set<string> {
  const media = entries(follow(document, child(follow(document, response), "content")));
  const names = media.flatMap(([, node]) => [...listExamples(document, follow(document, node)).keys()]);
  return new Set(names.filter((name) => name !== ""));
}

/**
 * The answer that the definition declares for a status, with the rule's example; for an undeclared status, a problem or
 * an empty body.
 */
async function definedAnswer(
  handler: OperationHandler,
  accept: string | null,
  { example = "" }: Outcome,
  code: number | undefined,
  trace: AnswerTrace | undefined,
): Promise<Answer> {
  const { operation, rules } = handler;
  if (code !== undefined && selectResponse(operation, { code }).kind === "none") return undeclaredAnswer(handler, code);
  const choice = code === undefined ? undefined : { code, example };
  const criteria = { accept, preferences: NO_PREFERENCES, choice, dynamic: false, seed: seedOf(handler), trace };
  return await prepareAnswer(operation, criteria, rules);
}

/** The answer with a status that the operation doesn't declare: a problem from 400 on, else an empty body. */
function undeclaredAnswer(handler: OperationHandler, status: number): Answer | Promise<Answer> {
  const { operation, rules } = handler;
  if (status >= 400) return buildProblem(operation, { title: reasonPhrase(status) ?? `Status ${status}`, status });
  return buildAnswer({ operation, status, content: { kind: "empty" }, seed: seedOf(handler) }, rules.generatorOf);
}

function bodyAnswer(
  handler: OperationHandler,
  accept: string | null,
  { body: value, headers: own = {} }: Outcome,
  status: number,
): Promise<Answer> {
  const { operation, rules } = handler;
  const written = Object.entries(own).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const { response, media } = mediaOf(operation, accept, status, written, value);
  const example = {
    value,
    form: "example" as const,
    node: media.node,
    source: SOURCE,
    isConditional: false,
    isExternal: false,
  };
  const content = { kind: "example", example } as const;
  return buildAnswer({ operation, status, response, media, content, seed: seedOf(handler) }, rules.generatorOf);
}

function seedOf({ context: { options: { seed = 0 } } }: OperationHandler): number {
  return seed;
}

/**
 * The media type of a rule's body: the rule's `Content-Type`, else by negotiation among those that the definition
 * offers.
 */
function mediaOf(
  operation: Operation,
  accept: string | null,
  status: number,
  written: string | undefined,
  value: unknown,
): { response: Node<"Response"> | undefined; media: { mediaType: string; node: Node<"MediaType"> } } {
  const { document } = operation;
  const selected = selectResponse(operation, { code: status });
  const response = selected.kind === "response" ? selected.node : undefined;
  const offered = response === undefined ? [] : entries(follow(document, child(response, "content")));
  const offers = offered.map(([mediaType]) => mediaType);
  const negotiated = written === undefined
    ? negotiate(accept, offers) ?? negotiate(null, offers)
    : negotiate(written.replace(/;.*/su, ""), offers);
  const node = negotiated && offered[negotiated.index]?.[1];
  const usual = typeof value === "string" ? "text/plain; charset=utf-8" : "application/json";
  // A media type that the definition doesn't declare has no schema.
  return {
    response,
    media: {
      mediaType: written ?? negotiated?.mediaType ?? usual,
      node: node === undefined ? noMedia(operation) : follow(document, node),
    },
  };
}

function noMedia({ node: { source, pointer } }: Operation): Node<"MediaType"> {
  return { value: {}, source, pointer };
}
