/**
 * Answers for servers that need no `Response`: such as `node:http`, where making a `Response` of an answer, and taking
 * it apart again, costs more than the answer itself. The request of such a server has a method that takes the answer.
 *
 * @module
 */
import type { Bytes } from "./handler.ts";

/** The key of the method that takes an answer; adapters, which import mod.ts only, find it by its name. */
const TAKE_ANSWER = Symbol.for("openapi-gw.takeAnswer");

/** The key of the mark of {@linkcode allowDirectRequests}; adapters find it by its name too. */
const ALLOWS_DIRECT = Symbol.for("openapi-gw.allowsDirect");

/** A request whose server takes whole answers. */
interface DirectRequest extends Request {
  [TAKE_ANSWER](init: ResponseInit, body: Bytes | null): Response;
}

/** Whether the server of a request takes whole answers. */
export function isDirect(request: Request): request is DirectRequest {
  return TAKE_ANSWER in request;
}

/**
 * Gives an answer to the server of a request.
 *
 * @param init Status and headers. The same object comes with the same body, so that a server can prepare both once.
 * @returns A response that stands for the answer.
 */
export function giveAnswer(request: DirectRequest, init: ResponseInit, body: Bytes | null): Response {
  return request[TAKE_ANSWER](init, body);
}

/**
 * Marks a handler that reads no more of a request without a body than its method, its URL and single headers: a server
 * may give it an object that has only these.
 */
export function allowDirectRequests<T extends (request: Request) => unknown>(handler: T): T {
  return Object.assign(handler, { [ALLOWS_DIRECT]: true });
}
