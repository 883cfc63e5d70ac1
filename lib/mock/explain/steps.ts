/**
 * Tells the decisions on a request as steps.
 *
 * @module
 */
import { splitTarget } from "../../http/url/url.ts";
import { nameOf } from "../../openapi/operation.ts";
import { securityRequirements } from "../../openapi/security_requirement.ts";
import { templateOf } from "../../openapi/path_condition.ts";
import { sendsNothing } from "../../openapi/extension/rule.ts";
import { isSecretName } from "../../names/secret_names.ts";
import { REDACTED } from "../../observe/secrets/redacted.ts";
import { createRedactor } from "../../observe/secrets/redactor.ts";
import { child } from "../../schema/json/node.ts";
import { writeJson } from "../../schema/json/json.ts";
import { NO_PREFERENCES } from "../answer/preferences.ts";
import { noPath } from "../answer/problems.ts";
import { lookAt, type LookedCondition } from "../condition/look_at.ts";
import { replacesAnswer } from "../operation/answer_by_rule.ts";
import type { Reply } from "../operation/reply.ts";
import { describeFault } from "../rules/describe_fault.ts";
import type { LookedRule } from "../rules/rule_list.ts";
import { SHARED_SESSION } from "../session/session.ts";
import { SESSION_HEADER } from "../session/session_request.ts";
import { acceptStep, contentStep, type MadeAnswer, responseStep } from "./answer_steps.ts";
import type { ExplainedRule, NearOperation, Step, StepName } from "./explanation.ts";
import { nearOperations, type RoutedServer } from "./near_operations.ts";
import type { Places } from "./places.ts";
import type { Trace } from "./trace.ts";
import { placeOfViolation } from "./violation_place.ts";

/** A request, and what was decided on it. */
export interface Decided {
  readonly request: Pick<Request, "method" | "url" | "headers">;
  readonly trace: Trace;
  readonly reply: Reply;
  readonly server: RoutedServer;
  readonly places: Places;
}

/** The steps of a decision, and the one that decided which answer the request gets. */
export interface DecisionSteps {
  readonly steps: readonly Step[];
  readonly decidedBy: Step;
}

/** The most headers that a summary names. */
const MOST_NAMED = 8;

/** Tells the decisions on a request as steps, in the order in which they were made. */
export function stepsOf(decided: Decided): DecisionSteps {
  const made = madeAnswer(decided);
  const steps = [
    ...requestStep(decided),
    ...sessionStep(decided),
    ...routeStep(decided),
    ...checkSteps(decided),
    ...rulesStep(decided),
    ...preferencesStep(decided),
    ...conditionsStep(decided),
    ...made === undefined ? [] : answerSteps(decided, made),
    ...deliverySteps(decided),
  ];
  const name = decidingStep(decided, made);
  const fallback: Step = { step: name, summary: decided.reply.detail ?? "" };
  return { steps, decidedBy: steps.find(({ step }) => step === name) ?? steps.at(-1) ?? fallback };
}

/** The answer that was made from the definition, the state or a rule; `undefined` if the request came to none. */
function madeAnswer({ trace, reply }: Decided): MadeAnswer | undefined {
  const { operation, details: { answer } = {} } = reply;
  if (operation === undefined || answer === undefined || trace.handler === undefined || trace.refused !== undefined) {
    return undefined;
  }
  if (trace.chosen?.outcome !== undefined && sendsNothing(trace.chosen.outcome)) return undefined;
  const binding = trace.isBound === true && answer.source !== "rule" ? trace.handler.binding : undefined;
  const parameters = trace.match?.kind === "found" ? trace.match.parameters : {};
  return { trace, operation, answer, binding, key: binding?.idParameter && parameters[binding.idParameter] };
}

function decidingStep({ trace, reply }: Decided, made: MadeAnswer | undefined): StepName {
  const { refused, handler, isRefused, validation, chosen, preferred, selected, offers, negotiated } = trace;
  if (refused !== undefined) return refused.step;
  if (isRefused === true) return validation?.error?.status === 401 ? "credentials" : "validation";
  if (handler === undefined) return "route";
  const outcome = chosen?.outcome;
  if (outcome !== undefined && (sendsNothing(outcome) || replacesAnswer(outcome))) return "rules";
  const { code, example, dynamic } = preferred?.preferences ?? NO_PREFERENCES;
  const isBound = trace.isBound === true;
  if (!isBound && code !== undefined) return "preferences";
  if (reply.source === "problem" && selected !== undefined && selected.kind !== "response") return "response";
  if (offers !== undefined && offers.length > 0 && negotiated === undefined) return "accept";
  if (!isBound && (example !== undefined || dynamic === true)) return "preferences";
  if (trace.examples.some(({ isChosen }) => isChosen)) return "conditions";
  return made === undefined || made.answer.mediaType === "" && !isBound ? "response" : "content";
}

function requestStep({ trace: { refused } }: Decided): Step[] {
  return refused?.step === "request" ? [{ step: "request", summary: refused.problem.detail ?? "" }] : [];
}

function sessionStep({ request, trace: { refused, session, path } }: Decided): Step[] {
  if (refused?.step === "session") return [{ step: "session", summary: refused.problem.detail ?? "" }];
  if (session === undefined) return [];
  const { name } = session;
  // A session's base path has been removed from the path that was matched.
  const isInPath = path !== undefined && path !== splitTarget(request.url).path;
  const namedBy = isInPath ? "path" : request.headers.get(SESSION_HEADER) === name ? "header" : "default";
  const summary = SESSION_SUMMARIES[namedBy](name);
  return [{ step: "session", summary, details: { session: { name, namedBy } } }];
}

const SESSION_SUMMARIES = {
  path: (name: string) => `The path begins with that of the session ${name}.`,
  header: (name: string) => `The header X-Gw-Session names the session ${name}.`,
  default: (name: string) =>
    name === SHARED_SESSION
      ? "The request names no session, so that the shared one answers."
      : `The request is asked in the session ${name}.`,
};

function routeStep(decided: Decided): Step[] {
  const { request, trace: { match, path = "", unsent }, reply, server, places } = decided;
  if (match === undefined) return [];
  const asked = `${request.method} ${path}`;
  if (unsent === "gw") {
    return [{ step: "route", summary: `${asked} is a path of the mock server itself: its control API answers.` }];
  }
  if (match.kind === "found") {
    const { route, parameters } = match;
    const { operation, action } = route;
    if (operation === undefined) return [{ step: "route", summary: reply.detail ?? `${asked} is disabled.` }];
    const shown = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, isSecretName(name) ? REDACTED : value]),
    );
    const basePath = basePathIn(path, templateOf(route.path));
    const name = nameOf(operation);
    const own = `${operation.method} ${operation.path}`;
    const summary = `${asked} fits ${own}${name === own ? "" : ` (${name})`}` +
      `${basePath === "" ? "" : `, below the base path ${basePath} of the definition's servers`}.` +
      (action.kind === "mock" ? "" : ` ${ROUTE_REASONS[action.kind]}`);
    return [{ step: "route", summary, details: { basePath, parameters: shown }, at: places.of(operation.node) }];
  }
  const near = nearOperations(
    server,
    { method: request.method, url: request.url, headers: request.headers, path },
    match,
    places,
  );
  if (unsent === "upstream") {
    const summary = `${asked} fits no operation of the definition, so that the upstream gets it.`;
    return [{ step: "route", summary, details: { near } }];
  }
  if (reply.response.status < 400) {
    const summary = request.method === "OPTIONS"
      ? `${asked} asks what the path allows; the mock server answers for it, as browsers want before they send a request.`
      : `${asked} fits no operation; the mock server lists its operations there.`;
    return [{ step: "route", summary, details: { near } }];
  }
  const [nearest] = near;
  const summary = reasonNotFound(decided, match, path, near);
  return [{ step: "route", summary, details: { near }, ...nearest?.at === undefined ? {} : { at: nearest.at } }];
}

/** Why no operation has the path and method of a request. */
function reasonNotFound(
  { request, reply: { detail = "" }, server }: Decided,
  match: Exclude<NonNullable<Trace["match"]>, { kind: "found" }>,
  path: string,
  near: readonly NearOperation[],
): string {
  if (match.kind === "method-not-allowed") {
    const methods = near.filter(({ obstacle }) => obstacle === "method").map(({ method }) => method);
    if (methods.length === 0) return detail;
    return `The path ${path} is in the definition, but not with ${request.method}: it has ${methods.join(", ")}.`;
  }
  // The server may have another reason, such as conditions of path keys.
  if (detail !== noPath(path, server.operations).detail) return detail;
  const [nearest] = near;
  if (nearest === undefined) return `No path of the definition is like ${path}.`;
  return `No path of the definition fits ${path}. The nearest is ${nearest.method} ${nearest.path}: ${nearest.reason}`;
}

/** Why an operation isn't mocked, as a sentence; the subject is the operation. */
export const ROUTE_REASONS = {
  disabled: "x-svc.disabled hides it.",
  redirect: "x-svc.redirect redirects it.",
  upstream: "Its requests go to the upstream.",
} as const;

/** The part of a path before the segments of a template. */
function basePathIn(path: string, template: string): string {
  const segments = path.split("/");
  return segments.slice(0, Math.max(0, segments.length - (template.split("/").length - 1))).join("/");
}

function checkSteps({ request, trace, reply, places }: Decided): Step[] {
  const { operation } = reply;
  if (operation === undefined || trace.match?.kind !== "found" || trace.refused !== undefined) return [];
  const { validation, isRefused } = trace;
  if (validation === undefined) {
    if (trace.handler === undefined) return [];
    return [{ step: "validation", summary: "Requests aren't checked against the definition: validation is off." }];
  }
  const contentType = request.headers.get("content-type");
  const placed = validation.violations.map((violation) => {
    const place = placeOfViolation(operation, violation, contentType);
    return { ...violation, ...place === undefined ? {} : { at: places.of(place) } };
  });
  const lacking = placed.filter(({ code }) => code === "security");
  const others = placed.filter(({ code }) => code !== "security");
  const steps: Step[] = [];
  if (securityRequirements(operation).length > 0) {
    const summary = trace.handler?.context.options.security === false
      ? "Credentials aren't checked: that is switched off."
      : lacking.length === 0
      ? "The request has the credentials that the operation requires. They are not verified."
      : `Credentials are missing: ${told(lacking)}${verdict(isRefused, true)}`;
    steps.push({ step: "credentials", summary, ...factsOf(lacking) });
  }
  const summary = others.length === 0
    ? "Parameters and body are as the definition says."
    : `${others.length === 1 ? "1 fault" : `${others.length} faults`}: ${told(others)}${
      verdict(isRefused, others.some(({ severity }) => severity === "Error") && lacking.length === 0)
    }`;
  return [...steps, { step: "validation", summary, ...factsOf(others) }];

  function factsOf(violations: typeof placed): Pick<Step, "details" | "at"> {
    const at = violations.find(({ severity }) => severity === "Error")?.at ?? violations[0]?.at;
    return { ...violations.length === 0 ? {} : { details: { violations } }, ...at === undefined ? {} : { at } };
  }
}

function told(violations: readonly { readonly message: string }[]): string {
  const [first, second] = violations;
  const more = violations.length > 2 ? ` (and ${violations.length - 2} more)` : "";
  return [first, second].flatMap((one) => one?.message ?? []).join(" ") + more;
}

function verdict(isRefused: boolean | undefined, decides: boolean): string {
  if (!decides) return "";
  return isRefused === true
    ? " The request is refused."
    : " The request is answered nevertheless; `--validate error` refuses it.";
}

function rulesStep({ trace: { rules, chosen } }: Decided): Step[] {
  if (rules.length === 0) return [];
  const explained = rules.map(explainRule);
  const [first, ...others] = explained.filter(({ applies }) => applies);
  const summary = first === undefined
    ? `None of the ${rules.length === 1 ? "rules (there is 1)" : `${rules.length} rules`} applies. ${
      explained[0] === undefined ? "" : `${explained[0].id}: ${explained[0].reason}`
    }`
    : `${[first, ...others].map(({ id, reason }) => `The rule ${id} applies: ${reason}`).join(" ")}` +
      (chosen?.outcome === undefined && chosen?.delay === 0 ? " The operation gives its own answer at this step." : "");
  return [{ step: "rules", summary: summary.trimEnd(), details: { rules: explained } }];
}

function explainRule({ id, source, rule, applied, verdict, conditions }: LookedRule): ExplainedRule {
  const reason = verdict === "applies" ? effectOf({ rule }) : reasonAgainst(verdict, { rule, applied, conditions });
  return { id, source, rule, applied, applies: verdict === "applies", reason, conditions };
}

function effectOf({ rule }: Pick<LookedRule, "rule">): string {
  if (rule.sequence !== undefined) return "its sequence says what to answer.";
  const { status, body, example, headers, delay, fault } = rule;
  const effects = [
    ...status === undefined ? [] : [`the status is ${status}`],
    ...body === undefined ? [] : ["the body is the rule's"],
    ...example === undefined ? [] : [`the body is the example ${example}`],
    ...headers === undefined ? [] : [`it sets ${Object.keys(headers).join(", ")}`],
    ...delay === undefined ? [] : ["it delays the answer"],
    ...fault === undefined ? [] : [`it has the fault ${fault}`],
  ];
  return `${effects.length === 0 ? "it changes nothing" : effects.join(", ")}.`;
}

function reasonAgainst(
  verdict: Exclude<LookedRule["verdict"], "applies">,
  { rule, applied, conditions }: Pick<LookedRule, "rule" | "applied" | "conditions">,
): string {
  switch (verdict) {
    case "spent":
      return `it has applied ${applied} times, which is as often as it may.`;
    case "decided":
      return "a rule before it has decided.";
    case "unmet":
      return `the request doesn't meet ${conditions.filter(({ isMet }) => !isMet).map(showWanted).join(" and ")}.`;
    case "share":
      return `it applies to ${(rule.share ?? 1) * 100} % of the requests, and this one isn't among them.`;
  }
}

/** The characters of a wanted value that a sentence shows. */
const MOST_SHOWN = 60;

function showWanted({ part, wanted }: LookedCondition): string {
  const value = writeJson(wanted) ?? "";
  return `${part} = ${value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value}`;
}

function preferencesStep({ trace: { preferred, isBound } }: Decided): Step[] {
  if (preferred === undefined) return [];
  const { preferences: { arraySize, ...others }, remarks } = preferred;
  const asked = Object.fromEntries(
    Object.entries({ ...others, "array-size": arraySize }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    ),
  );
  const names = Object.entries(asked).map(([name, value]) => `${name}=${value}`);
  if (names.length === 0 && remarks.length === 0) return [];
  const wants = names.length === 0 ? [] : [
    `The request prefers ${names.join(", ")}${isBound === true ? ", and the state answers even so" : ""}.`,
  ];
  return [{
    step: "preferences",
    summary: [...wants, ...remarks].join(" "),
    details: { preferences: asked, ...remarks.length === 0 ? {} : { remarks } },
  }];
}

function conditionsStep({ trace }: Decided): Step[] {
  const examples = trace.examples.map(({ choice, isChosen, conditions, parts, body }) => (
    { name: choice.example, isChosen, conditions: lookAt(conditions, parts, body) }
  ));
  const [first] = examples;
  if (first === undefined) return [];
  const chosen = examples.find(({ isChosen }) => isChosen);
  const unmet = first.conditions.filter(({ isMet }) => !isMet).map(showWanted).join(" and ");
  const summary = chosen === undefined
    ? `The request meets the conditions of no example. ${first.name} wants ${unmet}.`
    : `The request meets the conditions of the example ${chosen.name}: ${
      chosen.conditions.map(showWanted).join(" and ")
    }.`;
  return [{ step: "conditions", summary, details: { examples } }];
}

function answerSteps({ request, trace, places }: Decided, made: MadeAnswer): Step[] {
  const accept = acceptStep(made, request.headers.get("accept"), places);
  return [
    responseStep(made, reasonOfStatus(trace, made), places),
    ...accept === undefined ? [] : [accept],
    contentStep(made, places),
    headersStep(made),
  ];
}

/** What asks for the status of an answer; `undefined` if nothing but the definition does. */
function reasonOfStatus(
  { isRefused, chosen, preferred, examples, isBound }: Trace,
  made: MadeAnswer,
): string | undefined {
  if (isRefused === true) return "the request is refused";
  if (made.answer.source === "rule") {
    return chosen?.outcome?.status === undefined ? undefined : `the rule ${chosen.ids[0] ?? ""} wants it`;
  }
  if (isBound === true) return made.answer.status >= 400 ? made.answer.detail?.replace(/\.$/, "") : undefined;
  if (preferred?.preferences.code !== undefined) return "the request prefers it";
  const chosenExample = examples.find(({ isChosen }) => isChosen);
  return chosenExample === undefined ? undefined : `the example ${chosenExample.choice.example} is of this response`;
}

function headersStep({ answer, operation }: MadeAnswer): Step {
  const names = [...new Set(answer.headers.map(([name]) => name))];
  const declared = answer.origin === undefined ? [] : Object.keys(child(answer.origin.response, "headers").value ?? {});
  const own = names.filter((name) => declared.some((one) => one.toLowerCase() === name));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  const summary = `The answer has ${names.slice(0, MOST_NAMED).join(", ") || "no headers"}${more}` +
    `${own.length === 0 ? "" : `; ${nameOf(operation)} declares ${own.join(", ")}`}.`;
  const redactor = createRedactor();
  const shown = Object.fromEntries(answer.headers.map(([name, value]) => [name, redactor.header(name, value)]));
  return { step: "headers", summary, details: { headers: shown } };
}

function deliverySteps({ reply: { delay = 0, fault } }: Decided): Step[] {
  const held: Step[] = delay === 0
    ? []
    : [{ step: "delay", summary: `A rule holds the answer back for ${Math.round(delay)} ms.`, details: { delay } }];
  if (fault === undefined) return held;
  return [...held, { step: "fault", summary: describeFault(fault), details: { fault: fault.kind } }];
}
