import type { Answer } from "../../lib/mock/mock.ts";
import { type Background, createBackground } from "./lifecycle.ts";
import type { CallbackSender } from "./callbacks.ts";
import { discardBody } from "./response.ts";
import { sendableResponse } from "./response.ts";
import { faultResponse } from "./response.ts";
import type { Log, RequestEntry } from "./log.ts";
import { messageOf } from "../../lib/http/message.ts";
import { targetOf } from "../../lib/http/url.ts";

/** What answers requests at the moment. */
export type Responder = (request: Request) => Answer | Promise<Answer>;

/** How a server answers. */
export interface RequestHandlerOptions {
  /** What answers, asked anew for each request: a request that is under way keeps what it began with. */
  responder: () => Responder;
  log: Log;
  /** Whether each request has a line in the log. */
  logsRequests: boolean;
  /** Waits before an answer is sent. Default: not at all. */
  delay?: () => Promise<void>;
  /** Takes what goes on after an answer was given: lines of the log that aren't ready yet, and callbacks. */
  background?: Background;
  /** Sends callbacks; it must not fail. Default: none are sent. */
  sendCallbacks?: CallbackSender;
}

/** What a server knows of a request besides what it says. */
export interface RequestInfo {
  /** Settles when the answer was sent, or can't be. */
  readonly completed: Promise<void>;
}

/** What is known where nobody tells when an answer was sent. */
const SENT: RequestInfo = { completed: Promise.resolve() };

/** Violations of a request or of an answer. */
type Violations = readonly { readonly message: string }[];

const NONE: Violations = [];

/**
 * Makes the handler of a server: answers, waits, writes the log, and turns whatever is thrown into a response. An answer
 * that is ready at once is given at once, without a promise.
 */
export function createRequestHandler(
  { responder, log, logsRequests, delay, background = createBackground(), sendCallbacks }: RequestHandlerOptions,
): (request: Request, info?: RequestInfo) => Response | Promise<Response> {
  return (request, info = SENT) => {
    const start = logsRequests ? performance.now() : 0;
    const answer = answerTo(request);
    if (answer instanceof Promise || delay !== undefined) return finishLater(request, info, answer, start);
    return finish(request, info, answer, start);
  };

  function answerTo(request: Request): Answer | Promise<Answer> {
    try {
      const answer = responder()(request);
      return answer instanceof Promise ? answer.catch((error) => failed(request, error)) : answer;
    } catch (error) {
      return failed(request, error);
    }
  }

  async function finishLater(
    request: Request,
    info: RequestInfo,
    pending: Answer | Promise<Answer>,
    start: number,
  ): Promise<Response> {
    const answer = await pending;
    await delay?.();
    return finish(request, info, answer, start);
  }

  function finish(request: Request, info: RequestInfo, answer: Answer, start: number): Response {
    const { response, callbacks } = answer;
    if (logsRequests) logAnswer(request, answer, performance.now() - start);
    if (callbacks !== undefined && sendCallbacks !== undefined) {
      background.add(sendCallbacks(callbacks, info.completed));
    }
    discardBody(request);
    return sendableResponse(response);
  }

  function logAnswer(request: Request, answer: Answer, duration: number): void {
    const { response: { status }, mediaType, source, validation, checkExamples } = answer;
    const line = { method: request.method, target: targetOf(request.url), status, mediaType, source, duration };
    if (validation instanceof Promise || checkExamples !== undefined) {
      // What is yet to be found out, the answer doesn't wait for.
      background.add(logLater(line, answer));
    } else log.request(withRemarks(line, answer, validation?.violations ?? NONE));
  }

  async function logLater(line: RequestEntry, answer: Answer): Promise<void> {
    try {
      const checked = await answer.validation;
      const examples = await answer.checkExamples?.();
      log.request(withRemarks(line, answer, [...checked?.violations ?? NONE, ...examples ?? NONE]));
    } catch (error) {
      const failure = { message: `The request could not be checked: ${messageOf(error)}` };
      log.request(withRemarks(line, answer, [failure]));
    }
  }

  function failed(request: Request, error: unknown): Answer {
    const response = faultResponse(request, error, log);
    return { response, mediaType: "application/problem+json", source: "problem" };
  }
}

/** Adds what a person should know of a request to its line. */
function withRemarks(line: RequestEntry, { detail, remarks }: Answer, found: Violations): RequestEntry {
  if (detail === undefined && remarks === undefined && found.length === 0) return line;
  // The violations of a request say more than the `detail` of the problem that it was answered with.
  const wrong = found.length > 0 ? found.map(({ message }) => message) : detail === undefined ? [] : [detail];
  const all = [...remarks ?? [], ...wrong];
  return all.length === 0 ? line : { ...line, remarks: all };
}
