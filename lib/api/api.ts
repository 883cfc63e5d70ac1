/**
 * An HTTP API of gw itself, bound to its OpenAPI description by a table of operations: the management API and the
 * control API.
 *
 * ```text
 * request -> path -> refuse (access) -> operation -> query -> the operation's handler
 * ```
 *
 * Errors on the way become problems (RFC 9457) here, and nowhere else.
 *
 * @module
 */
import { suggest } from "../http/message.ts";
import { noMethod, withImplied } from "../http/method.ts";
import { problemResponse } from "../http/problem.ts";
import { splitTarget } from "../http/url/url.ts";
import { createRouter, type Match, type Route } from "../mock/route/router.ts";
import { ErrorResponse, problemOf } from "./error_response.ts";
import { checkQuery, type Query, readQuery } from "./query.ts";

/** A request for an operation. */
export interface Call {
  readonly request: Request;
  readonly operationId: string;
  readonly query: Query;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Answers the requests for one operation. */
export type ApiHandler<Context> = (call: Call, context: Context) => Response | Promise<Response>;

/** An operation of an API, with its handler. */
export interface ApiOperation<Context> extends Route {
  readonly operationId: string;
  /** The names of the operation's query parameters. `body.` allows all names with this prefix. */
  readonly query: readonly string[];
  readonly handle: ApiHandler<Context>;
}

/** A row of the table of an API's operations: `GET /pets`, the operation's id, its handler, its query parameters. */
export type OperationRow<Handler> = readonly [
  route: string,
  operationId: string,
  handle: Handler,
  query?: readonly string[],
];

/** The operations of an API, and the operation of a request. */
export interface Operations<Context> {
  readonly all: readonly ApiOperation<Context>[];
  match(method: string, path: string): Match<ApiOperation<Context>>;
}

/**
 * Reads the table of an API's operations.
 *
 * @param complete Makes a handler of a row's handler, whose calls have more than those of every API.
 */
export function readOperations<Handler, Context>(
  rows: readonly OperationRow<Handler>[],
  complete: (handle: Handler) => ApiHandler<Context>,
): Operations<Context> {
  const all = rows.map(([route, operationId, handle, query = []]): ApiOperation<Context> => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path, operationId, query, handle: complete(handle) };
  });
  const router = createRouter(all);
  return { all, match: (method, path) => router.match(method, path) };
}

/** What differs between the APIs. */
export interface ApiOptions<Context> {
  readonly operations: Operations<Context>;
  /** The base path of the API, with a slash at its end. */
  readonly basePath: string;
  /** What a client can do who asked for a path that the API doesn't have. Default: the API's paths are listed. */
  readonly hint?: string;
  /** Names of query parameters that all operations have. Default: none. */
  readonly commonQuery?: readonly string[];
  /**
   * Refuses a request for a path that the API has, by a response such as 401. Default: no request is refused.
   *
   * @param operationId The operation; absent if the path has no such method.
   * @param parameters The values of the path's parameters.
   */
  readonly refuse?: (
    request: Request,
    operationId: string | undefined,
    parameters: Call["parameters"] | undefined,
    context: Context,
  ) => Response | undefined | Promise<Response | undefined>;
  /** Makes the response for an error that a handler may throw, other than {@linkcode ErrorResponse}. */
  readonly responseOf: (error: unknown, request: Request) => Response | undefined;
}

/**
 * Answers a request for an API.
 *
 * @param path The path of the request, which is below the base path.
 * @param context What the handlers share.
 */
export type Api<Context> = (request: Request, path: string, context: Context) => Response | Promise<Response>;

/**
 * Makes an API of its operations. A response is returned without a promise if the handler returns it so, as most reads
 * do: awaiting would cost time for nothing.
 */
export function createApi<Context>(options: ApiOptions<Context>): Api<Context> {
  const { operations, basePath, refuse, responseOf, commonQuery = [] } = options;
  return (request, path, context) => {
    const match = operations.match(request.method, path.slice(basePath.length - 1));
    if (match.kind === "not-found") return withoutBody(request, noOperation(path, options));
    const found = match.kind === "found" ? match : undefined;
    const work = (): Response | Promise<Response> => {
      if (match.kind === "method-not-allowed") return otherMethod(request, path, match.allowed);
      const { route: { operationId, query: known, handle }, parameters } = match;
      const query = readQuery(splitTarget(request.url).query);
      if (query.size > 0) checkQuery(query, [...known, ...commonQuery]);
      return handle({ request, operationId, query, parameters }, context);
    };
    try {
      const refused = refuse?.(request, found?.route.operationId, found?.parameters, context);
      const response = refused instanceof Promise ? refused.then((refused) => refused ?? work()) : refused ?? work();
      return response instanceof Promise
        ? response.then((response) => withoutBody(request, response)).catch(fail)
        : withoutBody(request, response);
    } catch (error) {
      return fail(error);
    }

    /** Answers an expected error. Any other error is a bug, and is thrown again. */
    function fail(error: unknown): Response {
      const response = error instanceof ErrorResponse ? error.response : responseOf(error, request);
      if (response === undefined) throw error;
      return withoutBody(request, response);
    }
  };
}

/** Answers a method that a path doesn't have: OPTIONS with the path's methods, any other with 405. */
function otherMethod({ method }: Request, path: string, methods: readonly string[]): Response {
  const allowed = withImplied(methods);
  const headers: [string, string][] = [["allow", allowed.join(", ")]];
  // No CORS headers: pages of other origins may not use the API.
  if (method === "OPTIONS") return new Response(null, { status: 204, headers });
  return problemResponse(noMethod(method, path, allowed), headers);
}

function noOperation<Context>(path: string, { operations, basePath, hint }: ApiOptions<Context>): Response {
  const paths = new Set(operations.all.map((operation) => basePath + operation.path.slice(1)));
  const [nearest] = suggest(path, paths);
  const near = nearest === undefined ? `There is ${[...paths].join(", ")}.` : `Did you mean ${nearest}?`;
  const detail = `There is nothing at ${path.slice(0, 200)}. ${near}${hint === undefined ? "" : ` ${hint}`}`;
  return problemResponse(problemOf(404, detail));
}

function withoutBody(request: Request, response: Response): Response {
  if (request.method !== "HEAD" || response.body === null) return response;
  void response.body.cancel();
  return new Response(null, response);
}
