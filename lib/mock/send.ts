import type { Bytes, HeaderList } from "../http/handler.ts";
import type { PreparedAnswer } from "./answer.ts";
import { withCors } from "./cors.ts";

/** How answers are sent. */
export interface SendOptions {
  /** Whether pages of other origins may read the answers. */
  cors: boolean;
  /** Waits between the chunks of a body that is sent item by item. */
  pause: () => Promise<void>;
}

/** An answer as the argument of a `Response`: made once, used for each request. */
export interface ReadyAnswer extends PreparedAnswer {
  readonly init: ResponseInit;
  /** The body as text, where it is a short one: a server sends it with less work than bytes. */
  readonly text: string | undefined;
}

/** Longer bodies stay bytes, so that they aren't kept twice. */
const MOST_TEXT = 64 * 1024;

/** Gets an answer ready for requests that come from no page of another origin. */
export function makeReady(answer: PreparedAnswer, { cors }: Pick<SendOptions, "cors">): ReadyAnswer {
  const init = initOf(answer.status, cors ? withCors(answer.headers, null) : answer.headers);
  return { ...answer, init, text: textOf(answer.body) };
}

/** Makes the response to a request: without a body for HEAD, and readable for the page that asked. */
export function respond(request: Request, answer: ReadyAnswer, { cors, pause }: SendOptions): Response {
  const origin = cors ? request.headers.get("origin") : null;
  const init = origin === null ? answer.init : initOf(answer.status, withCors(answer.headers, origin));
  if (request.method === "HEAD") return new Response(null, withLength(init, answer.body));
  const { body, text } = answer;
  if (text !== undefined) return new Response(text, init);
  return new Response(body === null || body instanceof Uint8Array ? body : streamOf(body, pause), init);
}

function textOf(body: PreparedAnswer["body"]): string | undefined {
  if (!(body instanceof Uint8Array) || body.length > MOST_TEXT) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function initOf(status: number, headers: HeaderList): ResponseInit {
  return { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
}

/** A response to HEAD tells the length of the body that GET would have (RFC 9110, section 8.6). */
function withLength(init: ResponseInit, body: PreparedAnswer["body"]): ResponseInit {
  if (!(body instanceof Uint8Array)) return init;
  const headers = new Headers(init.headers);
  headers.set("content-length", String(body.length));
  return { ...init, headers };
}

function streamOf(chunks: readonly Bytes[], pause: () => Promise<void>): ReadableStream<Bytes> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      if (next > 0) await pause();
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
