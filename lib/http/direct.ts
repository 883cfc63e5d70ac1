/**
 * Direct answers: an adapter for a server such as `node:http` takes an answer as status, headers and bytes, without a
 * `Response`. To make a `Response`, and to take it apart again, costs more than the rest of the answer. The adapter's
 * request object has a method that takes the answer.
 *
 * @module
 */
import type { Bytes } from "./handler.ts";

/**
 * The key of the method of a request that takes its answer. The registered symbol lets adapters, which import only
 * mod.ts, use the same key.
 */
const TAKE_ANSWER = Symbol.for("openapi-gw.takeAnswer");

/**
 * The key of the property by which {@linkcode allowDirectRequests} marks a handler. Adapters find this registered
 * symbol by its name.
 */
const ALLOWS_DIRECT = Symbol.for("openapi-gw.allowsDirect");

/** A request of an adapter that takes an answer as status, headers and bytes, without a `Response`. */
interface DirectRequest extends Request {
  [TAKE_ANSWER](init: ResponseInit, body: Bytes | null): Response;
}

/** Tells whether a request takes its answer as status, headers and bytes, without a `Response`. */
export function isDirect(request: Request): request is DirectRequest {
  return TAKE_ANSWER in request;
}

/**
 * Answers a request by its method for status, headers and bytes.
 *
 * @param init Status and headers. An `init` object always comes with the same body, so that an adapter can prepare both
 * once and cache them by `init`.
 * @returns A placeholder: a handler must return a `Response`, and the adapter recognises this one.
 */
export function giveAnswer(request: DirectRequest, init: ResponseInit, body: Bytes | null): Response {
  return request[TAKE_ANSWER](init, body);
}

/**
 * Marks a handler for adapters. Of a request, the handler reads only `method`, `url`, single headers and their names, and
 * the body by `body` or `arrayBuffer`, so an adapter may call it with an object that has nothing else.
 */
export function allowDirectRequests<T extends (request: Request) => unknown>(handler: T): T {
  return Object.assign(handler, { [ALLOWS_DIRECT]: true });
}
