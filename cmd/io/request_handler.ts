import { PROBLEM_MEDIA_TYPE } from "../../lib/http/problem.ts";
import type { Reply } from "../../lib/mock/operation/reply.ts";
import type { Validation } from "../../lib/mock/validation/validate_request.ts";
import type { Explanation } from "../../lib/mock/explain/explanation.ts";
import type { Responder } from "../../lib/mock/responder.ts";
import { disturbResponse, isDisturbed } from "../../lib/mock/rules/disturb_response.ts";
import type { Connection, DisturbanceMaker } from "./disturbance.ts";
import { type Background, createBackground } from "./lifecycle.ts";
import type { CallbackSender } from "./callbacks.ts";
import { discardBody, internalErrorResponse, sendableResponse } from "./response.ts";
import type { Log, RequestEntry } from "./terminal/log.ts";
import { messageOf } from "../../lib/http/message.ts";
import { type LogRedaction, PLAIN_REDACTION } from "./terminal/log_redaction.ts";

export interface RequestHandlerOptions {
  /** Returns the current responder. Called at each request, so that a reload doesn't affect requests under way. */
  readonly responder: () => Responder;
  readonly log: Log;
  /** Redacts secrets in the log. Default: by their names and forms only. */
  readonly redaction?: LogRedaction;
  /** Whether each request is logged. */
  readonly logsRequests: boolean;
  /** Explains requests that fit no operation, for the log. Default: the log has no explanations. */
  readonly explain?: ((request: Request) => Promise<Explanation>) | undefined;
  /** Waits before a response is sent. Default: not at all. */
  readonly delay?: (() => Promise<void>) | undefined;
  /**
   * Makes the functions that carry out delays and faults of rules. Default: rules neither delay nor break responses.
   */
  readonly disturbances?: DisturbanceMaker | undefined;
  /** Collects work that continues after a response: callbacks, and log lines that need the end of a body. */
  readonly background?: Background;
  /** Sends callbacks; must not reject. Default: callbacks aren't sent. */
  readonly sendCallbacks?: CallbackSender | undefined;
}

/** The connection of a request, as `Deno.serve` describes it. */
export interface RequestInfo {
  /** Resolves when the response was sent, or can't be. */
  readonly completed: Promise<void>;
  /** The client's address; absent if the transport doesn't know it. */
  readonly remoteAddr?: Connection["remoteAddr"];
}

/** The default for callers that can't tell when a response was sent: the response counts as sent at once. */
const SENT: RequestInfo = { completed: Promise.resolve() };

interface State extends RequestHandlerOptions {
  readonly background: Background;
  readonly redaction: LogRedaction;
  /** The operations for which the log has said that invalid requests change the state. */
  readonly told: Set<string>;
}

type Violations = readonly { readonly message: string }[];

const NONE: Violations = [];

/**
 * Makes the handler of a server: it gets a reply, waits for the delay, writes the log, and turns exceptions into
 * responses. It returns a reply that is ready without wrapping it in a promise, which would cost time.
 */
export function createRequestHandler(
  options: RequestHandlerOptions,
): (request: Request, info?: RequestInfo) => Response | Promise<Response> {
  const { background = createBackground(), redaction = PLAIN_REDACTION } = options;
  const state = { ...options, background, redaction, told: new Set<string>() };
  return (request, info = SENT) => {
    const start = state.logsRequests ? performance.now() : 0;
    const reply = replyTo(state, request);
    if (reply instanceof Promise || state.delay !== undefined || isDisturbed(reply)) {
      return finishLater(state, request, info, reply, start);
    }
    return finish(state, request, info, reply, start);
  };
}

function replyTo({ responder, log }: State, request: Request): Reply | Promise<Reply> {
  try {
    const reply = responder()(request);
    return reply instanceof Promise ? reply.catch((error) => failedReply(request, error, log)) : reply;
  } catch (error) {
    return failedReply(request, error, log);
  }
}

function failedReply(request: Request, error: unknown, log: Log): Reply {
  const response = internalErrorResponse(request, error, log);
  return { response, mediaType: PROBLEM_MEDIA_TYPE, source: "problem" };
}

async function finishLater(
  state: State,
  request: Request,
  info: RequestInfo,
  pending: Reply | Promise<Reply>,
  start: number,
): Promise<Response> {
  // Without a log, the start is taken only here: a journal records how long a delayed answer took.
  const begun = state.logsRequests ? start : performance.now();
  const reply = await pending;
  await state.delay?.();
  if (!isDisturbed(reply) || state.disturbances === undefined) return finish(state, request, info, reply, begun);
  const disturbance = state.disturbances(request, info);
  const response = await disturbResponse(reply.response, request.signal, reply, disturbance);
  return finish(state, request, info, { ...reply, response }, begun);
}

/** Logs a reply, starts its callbacks, and returns the response. */
function finish(state: State, request: Request, info: RequestInfo, reply: Reply, start: number): Response {
  const { background, sendCallbacks } = state;
  // The server still has to send the body piece by piece.
  if (reply.fault?.kind === "slow") background.add(endSlowly(state, request, info, reply, start));
  else end(state, request, reply, start);
  // Await `late` even if requests aren't logged: only then do reports and recordings get the exchange.
  if (reply.late !== undefined) background.add(logLate(state, request, reply, reply.late));
  if (reply.callbacks !== undefined && sendCallbacks !== undefined) {
    // Read `completed` only where it is needed: Deno makes a promise for each request whose `completed` is read.
    background.add(sendCallbacks(reply.callbacks, info.completed));
  }
  discardBody(request);
  return sendableResponse(reply.response);
}

/** Ends a reply when the server has sent its body, or can't send it because the client has gone. */
async function endSlowly(
  state: State,
  request: Request,
  info: RequestInfo,
  reply: Reply,
  start: number,
): Promise<void> {
  await info.completed.catch(() => {});
  end(state, request, reply, start);
}

/** Tells the log and the journal of a reply, with its duration. */
function end(state: State, request: Request, reply: Reply, start: number): void {
  if (state.logsRequests && reply.isUnlogged !== true) logReply(state, request, reply, performance.now() - start);
  reply.delivered?.(performance.now() - start);
}

function logReply(state: State, request: Request, reply: Reply, duration: number): void {
  const { log, background, redaction } = state;
  const { response: { status }, mediaType, source, validation, checkExamples } = reply;
  const { method, url } = request;
  const entry = { method, target: redaction.target({ url }, reply), status, mediaType, source, duration };
  if (state.explain !== undefined && fitsNothing(reply)) {
    // The headers can't be read after the response was sent. A request that fits nothing is explained without its body.
    const asked = new Request(url, { method, headers: new Headers(request.headers) });
    background.add(logExplained(state, state.explain(asked), url, entry, reply));
    return;
  }
  if (validation instanceof Promise || checkExamples !== undefined) {
    // The response doesn't wait for the validation of its request.
    background.add(logChecked(state, url, entry, reply));
  } else {
    const violations = [...validation?.violations ?? NONE, ...hintsOn(state, entry, reply, validation)];
    log.request(withRemarks(redaction, url, entry, reply, violations));
  }
}

/** Whether a request got its answer because no operation has its path and method. */
function fitsNothing({ operation, source, details }: Reply): boolean {
  return operation === undefined && source === "problem" && details !== undefined;
}

/** Logs a request that fits no operation, with the decisions on it. */
async function logExplained(
  { log, redaction }: State,
  explaining: Promise<Explanation>,
  url: string,
  entry: RequestEntry,
  reply: Reply,
): Promise<void> {
  const violations = await explaining.then(
    ({ steps }) =>
      steps.flatMap(({ step, summary, details: { near = [] } = {} }) => [
        { message: `${step}: ${summary}` },
        // The summary names the nearest one.
        ...near.filter(({ reason }) => !summary.includes(reason)).map(({ method, path, reason }) => (
          { message: `  ${method} ${path}: ${reason}` }
        )),
      ]),
    (error: unknown) => [{ message: `The request could not be explained: ${messageOf(error)}` }],
  );
  log.request(withRemarks(redaction, url, entry, reply, violations));
}

/**
 * Says once for each operation how requests are refused whose body the definition doesn't allow: a client that relies
 * on the mock server to accept them fails with the real one.
 */
function hintsOn(
  { told }: State,
  { method, status }: RequestEntry,
  { source, operation }: Reply,
  validation: Validation | undefined,
): Violations {
  const isAccepted = validation?.error !== undefined && source === "state" && status < 400 &&
    validation.violations.some(({ location: [part], severity }) => part === "body" && severity === "Error");
  const key = `${method} ${operation?.path ?? ""}`;
  if (!isAccepted || told.has(key)) return NONE;
  told.add(key);
  return [{ message: "The request counts nevertheless; --validate error refuses such requests." }];
}

async function logChecked(state: State, url: string, entry: RequestEntry, reply: Reply): Promise<void> {
  const { log, redaction } = state;
  try {
    const checked = await reply.validation;
    const hints = hintsOn(state, entry, reply, checked);
    const examples = await reply.checkExamples?.();
    const all = [...checked?.violations ?? NONE, ...hints, ...examples ?? NONE];
    log.request(withRemarks(redaction, url, entry, reply, all));
  } catch (error) {
    const failure = { message: `The request could not be checked: ${messageOf(error)}` };
    log.request(withRemarks(redaction, url, entry, reply, [failure]));
  }
}

/** Logs what is known only after the upstream's response has ended. */
async function logLate(
  { log, redaction }: State,
  { method, url }: Request,
  reply: Reply,
  late: Promise<readonly string[]>,
): Promise<void> {
  const { status } = reply.response;
  const target = redaction.target({ url }, reply);
  try {
    log.late({ method, target, status, source: "body", remarks: redaction.remarks(await late, { url }, reply) });
  } catch (error) {
    log.complain(`${method} ${target} could not be checked: ${messageOf(error)}`);
  }
}

/** Adds the violations of the request, and other remarks, to a log entry. */
function withRemarks(
  redaction: LogRedaction,
  url: string,
  entry: RequestEntry,
  reply: Reply,
  violations: Violations,
): RequestEntry {
  const { detail, remarks } = reply;
  if (detail === undefined && remarks === undefined && violations.length === 0) return entry;
  // Prefer the violations of a request to the `detail` of its problem response: they say more.
  const wrong = violations.length > 0 ? violations.map(({ message }) => message) : detail === undefined ? [] : [detail];
  const all = [...remarks ?? [], ...wrong];
  return all.length === 0 ? entry : { ...entry, remarks: redaction.remarks(all, { url }, reply) };
}
