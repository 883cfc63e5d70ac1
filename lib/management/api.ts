/**
 * The management API: deploys and shows APIs, fleets and static routes. A request goes through these steps:
 *
 * ```text
 * request -> matchOperation -> authorize -> the operation's handler
 * reading:  catalog (the store's resources, with prepared answers)
 * changing: content -> examine -> conflicts -> store -> gateway
 * ```
 *
 * Only this file turns errors into problems (RFC 9457).
 *
 * @module
 */
import { defaultBodyLimits } from "../http/body_limits.ts";
import type { Handler, HeaderList } from "../http/handler.ts";
import { splitTarget } from "../http/url.ts";
import { problemResponse } from "../http/problem.ts";
import { Catalog } from "./catalog.ts";
import { Changer } from "./change.ts";
import type { Call, Context } from "./context.ts";
import { type Description, readDescription } from "./description.ts";
import { type ManagementOperation, matchOperation, OPERATIONS } from "./operations.ts";
import type { ManagementOptions } from "./options.ts";
import { checkQuery, readQuery } from "./query.ts";
import { ErrorResponse, problemOf, storeErrorResponse } from "./error_response.ts";
import type { Store } from "./store.ts";
import { StoreError } from "../gateway/store_error.ts";

export { operationOf } from "./operations.ts";
export type { Gateway, ManagementOptions, Readiness, ServiceProbe, ServiceStatus } from "./options.ts";

const DEFAULTS = {
  analysisUrl: "",
  maxBody: 16 * 1024 * 1024,
  bodyTimeout: 60_000,
  defaultFleet: () => ({ name: "default", namespace: "default" }),
} as const satisfies Partial<ManagementOptions>;

/**
 * Creates the handler of the management API.
 *
 * @param store The store of the resources.
 * @param options The gateway and the services that it manages, and limits.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createMemoryStore } from "./memory_store.ts";
 *
 * const api = createManagementApi(createMemoryStore(() => 0), {
 *   gateway: { plansOf: () => [], apply: () => Promise.resolve() },
 *   services: { status: () => "unavailable" },
 * });
 * const response = await api(new Request("http://localhost:8090/apis"));
 * assert.deepEqual(await response.json(), []);
 * ```
 */
export function createManagementApi(store: Store, options: ManagementOptions): Handler {
  const settings = { ...DEFAULTS, bodies: defaultBodyLimits(), ...options };
  const catalog = new Catalog(store, settings.analysisUrl);
  let description: Promise<Description> | undefined;
  const context: Context = {
    store,
    options: settings,
    changer: new Changer(store, settings.gateway),
    view: () => catalog.view(),
    description: () => description ??= readDescription(),
  };
  return (request) => respond(request, context);
}

function respond(request: Request, context: Context): Response | Promise<Response> {
  const { path, query } = splitTarget(request.url);
  const match = matchOperation(request.method, path);
  switch (match.kind) {
    case "found": {
      const { namespace = "", name = "" } = match.parameters;
      return handle(match.route, query, { request, query: readQuery(query), object: { name, namespace } }, context);
    }
    case "method-not-allowed":
      return withoutAllowed(request.method, path, match.allowed);
    case "not-found":
      return withoutBody(request, noOperation(path));
  }
}

/**
 * Authorizes a request and calls its operation's handler. Returns the response without a promise if the operation does,
 * as most reads do: awaiting would cost time for nothing.
 */
function handle(
  { operationId, query: known, handle }: ManagementOperation,
  query: string,
  call: Call,
  context: Context,
): Response | Promise<Response> {
  const { request } = call;
  const fail = (error: unknown): Response => withoutBody(request, responseOf(error, request));
  try {
    const denied = context.options.authorize?.(request, operationId, call.object);
    const work = (): Response | Promise<Response> => {
      checkQuery(query, known);
      return handle(call, context);
    };
    const response = denied instanceof Promise ? denied.then((denied) => denied ?? work()) : denied ?? work();
    return response instanceof Promise
      ? response.then((response) => withoutBody(request, response)).catch(fail)
      : withoutBody(request, response);
  } catch (error) {
    return fail(error);
  }
}

/**
 * Makes the response for an error that a request or the store may cause. Throws any other error again, since it is a
 * bug.
 */
function responseOf(error: unknown, { headers }: Request): Response {
  if (error instanceof ErrorResponse) return error.response;
  if (error instanceof StoreError) return storeErrorResponse(error, headers.has("if-match"));
  throw error;
}

/**
 * Answers a request whose path has no operation for its method: OPTIONS with the path's methods, any other method with
 * 405.
 */
function withoutAllowed(method: string, path: string, methods: readonly string[]): Response {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  const headers: HeaderList = [["allow", allowed]];
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: [["allow", allowed]] });
  return problemResponse(problemOf(405, `${path} has no ${method}; it has ${allowed}.`), headers);
}

function noOperation(path: string): Response {
  const paths = new Set(OPERATIONS.map((operation: ManagementOperation) => operation.path));
  return problemResponse(problemOf(404, `There is nothing at ${path}. There is ${[...paths].join(", ")}.`));
}

function withoutBody(request: Request, response: Response): Response {
  if (request.method !== "HEAD" || response.body === null) return response;
  return new Response(null, response);
}
