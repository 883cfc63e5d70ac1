/**
 * The management API, from a request to its answer:
 *
 * ```text
 * request -> matchOperation -> authorize -> the operation's handler
 * reading:  catalog (what the store holds, as bytes)
 * changing: content -> examine -> conflicts -> store -> gateway
 * ```
 *
 * Whatever goes wrong on the way becomes a problem here, and nowhere else.
 *
 * @module
 */
import type { Handler, HeaderList } from "../http/handler.ts";
import { splitTarget } from "../http/url.ts";
import { problemResponse } from "../http/problem.ts";
import { createCatalog } from "./catalog.ts";
import { createChanger } from "./change.ts";
import type { Call, Context } from "./context.ts";
import { type Description, readDescription } from "./description.ts";
import { type ManagementOperation, matchOperation, OPERATIONS } from "./operations.ts";
import type { ManagementOptions } from "./options.ts";
import { checkQuery, readQuery } from "./query.ts";
import { problemOf, Refusal, storeResponse } from "./refusal.ts";
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
 * Makes the management API, as a function from requests to responses.
 *
 * @param store Where resources are kept.
 * @param options What it manages, and how.
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
  const settings = { ...DEFAULTS, ...options };
  let description: Promise<Description> | undefined;
  const context: Context = {
    store,
    options: settings,
    changer: createChanger(store, settings.gateway),
    view: createCatalog(store, settings.analysisUrl),
    description: () => description ??= readDescription(),
  };
  return respond;

  function respond(request: Request): Response | Promise<Response> {
    const { path, query } = splitTarget(request.url);
    const match = matchOperation(request.method, path);
    switch (match.kind) {
      case "found": {
        const { namespace = "", name = "" } = match.parameters;
        return answer(match.route, query, { request, query: readQuery(query), object: { name, namespace } });
      }
      case "method-not-allowed":
        return withoutAllowed(request.method, path, match.allowed);
      case "not-found":
        return withoutBody(request, noOperation(path));
    }
  }

  /** Waits for nothing that is there already, as most of what is read is. */
  function answer(
    { operationId, query: known, handle }: ManagementOperation,
    query: string,
    call: Call,
  ): Response | Promise<Response> {
    const refuse = (error: unknown) => withoutBody(call.request, refusalOf(error, call.request));
    try {
      const refused = settings.authorize?.(call.request, operationId, call.object);
      const work = (): Response | Promise<Response> => {
        checkQuery(query, known);
        return handle(call, context);
      };
      const response = refused instanceof Promise ? refused.then((refused) => refused ?? work()) : refused ?? work();
      return response instanceof Promise
        ? response.then((response) => withoutBody(call.request, response)).catch(refuse)
        : withoutBody(call.request, response);
    } catch (error) {
      return refuse(error);
    }
  }
}

function refusalOf(error: unknown, { headers }: Request): Response {
  if (error instanceof Refusal) return error.response;
  if (error instanceof StoreError) return storeResponse(error, headers.has("if-match"));
  throw error;
}

/** Answers OPTIONS, or refuses the method. */
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

/** HEAD answers with the head alone. */
function withoutBody(request: Request, response: Response): Response {
  if (request.method !== "HEAD" || response.body === null) return response;
  return new Response(null, response);
}
