import { problemResponse } from "../../lib/http/problem.ts";
import type { Answer } from "../../lib/mock/mock.ts";
import type { Validation } from "../../lib/mock/validate.ts";
import type { Log, RequestEntry } from "./log.ts";

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
}

/**
 * Makes the handler of a server: answers, waits, writes the log, and turns whatever is thrown into a response. An answer
 * that is ready at once is given at once, without a promise.
 */
export function createRequestHandler(
  { responder, log, logsRequests, delay }: RequestHandlerOptions,
): (request: Request) => Response | Promise<Response> {
  return (request) => {
    const start = logsRequests ? performance.now() : 0;
    const answer = answerTo(request);
    if (answer instanceof Promise || delay !== undefined) return finishLater(request, answer, start);
    return finish(request, answer, start);
  };

  function answerTo(request: Request): Answer | Promise<Answer> {
    try {
      const answer = responder()(request);
      return answer instanceof Promise ? answer.catch((error) => failed(request, error)) : answer;
    } catch (error) {
      return failed(request, error);
    }
  }

  async function finishLater(request: Request, pending: Answer | Promise<Answer>, start: number): Promise<Response> {
    const answer = await pending;
    await delay?.();
    return finish(request, answer, start);
  }

  function finish(request: Request, answer: Answer, start: number): Response {
    if (logsRequests) logAnswer(request, answer, performance.now() - start);
    return answer.response;
  }

  function logAnswer(request: Request, answer: Answer, duration: number): void {
    const { response: { status }, mediaType, source, validation } = answer;
    const entry = { method: request.method, target: targetOf(request.url), status, mediaType, source, duration };
    if (validation === undefined) return log.request(entry);
    if (!(validation instanceof Promise)) return logChecked(entry, validation);
    // Whether a body is right is known when it has been read, which the answer didn't wait for.
    validation.then(
      (found) => logChecked(entry, found),
      (error) => log.request({ ...entry, remarks: [`The request could not be checked: ${messageOf(error)}`] }),
    );
  }

  function logChecked(entry: RequestEntry, { violations }: Validation): void {
    log.request(violations.length === 0 ? entry : { ...entry, remarks: violations.map(({ message }) => message) });
  }

  function failed(request: Request, error: unknown): Answer {
    const detail = `gw failed to answer ${request.method} ${targetOf(request.url)}: ${messageOf(error)}. ` +
      "This is a fault of gw, not of the request; its log has the details.";
    log.complain(error instanceof Error && error.stack !== undefined ? error.stack : detail, { error: detail });
    const response = problemResponse({ title: "Internal Server Error", status: 500, detail });
    return { response, mediaType: "application/problem+json", source: "problem" };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Path and query of a URL, as the client wrote them. */
function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start === -1 ? "/" : url.slice(start);
}
