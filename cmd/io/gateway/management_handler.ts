import { splitTarget } from "../../../lib/http/url/url.ts";
import { PLAIN_REDACTION } from "../terminal/log_redaction.ts";
import type { Access } from "../access.ts";
import { internalErrorResponse } from "../response.ts";
import type { Log, RequestEntry } from "../terminal/log.ts";
import type { Metrics, NameSpan } from "../telemetry.ts";
import type { User } from "../tokens.ts";

export interface ManagementHandlerOptions {
  /** The management API. */
  api: (request: Request) => Response | Promise<Response>;
  /** The operationId of a request; `undefined` if no operation matches. */
  operationOf: (request: Request) => string | undefined;
  access: (request: Request) => Promise<Access>;
  log: Log;
  logsRequests: boolean;
  metrics: Pick<Metrics, "management" | "refused">;
  nameSpan: NameSpan | undefined;
}

/** The log entry of a request to the management API: user, operation, resource, outcome. */
interface AuditEntry extends RequestEntry {
  user: string;
  groups?: readonly string[];
  verb: string;
  object: string;
  result: "done" | "refused" | "failed";
}

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "replace", DELETE: "delete" };

/** Paths whose requests aren't logged: monitoring requests them too often. */
const UNLOGGED = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Creates the handler of the management API. It returns a response that is ready, as for most reads, without wrapping
 * it in a promise, which would cost time.
 */
export function createManagementHandler(
  { api, operationOf, access, log, logsRequests, metrics, nameSpan }: ManagementHandlerOptions,
): (request: Request) => Response | Promise<Response> {
  return (request) => {
    const start = performance.now();
    const decision = access(request);
    return decision instanceof Promise
      ? decision.then((decision) => follow(request, decision, start))
      : follow(request, decision, start);
  };

  function follow(request: Request, decision: Access, start: number): Response | Promise<Response> {
    if (decision.kind === "answered") return finish(request, decision.user, decision.response, start);
    const { user, headers } = decision;
    const response = answer(request);
    return response instanceof Promise
      ? response.then((response) => finish(request, user, withHeaders(response, headers), start))
      : finish(request, user, withHeaders(response, headers), start);
  }

  function finish(request: Request, user: User, response: Response, start: number): Response {
    const duration = performance.now() - start;
    const operation = operationOf(request) ?? "";
    const { status } = response;
    metrics.management({ operation, code: status, duration });
    if (status >= 400 && Object.hasOwn(VERBS, request.method)) metrics.refused();
    nameSpan?.(operation);
    if (!logsRequests) return response;
    const isSeldom = status >= 400 || !UNLOGGED.has(splitTarget(request.url).path);
    if (isSeldom) log.request(entryOf(request, response, user, duration));
    return response;
  }

  function answer(request: Request): Response | Promise<Response> {
    try {
      const response = api(request);
      return response instanceof Promise
        ? response.catch((error) => internalErrorResponse(request, error, log))
        : response;
    } catch (error) {
      return internalErrorResponse(request, error, log);
    }
  }
}

function withHeaders(response: Response, headers: readonly (readonly [string, string])[]): Response {
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}

function entryOf(request: Request, response: Response, { name, groups }: User, duration: number): AuditEntry {
  const { method, url } = request;
  const { status, headers } = response;
  const target = PLAIN_REDACTION.target({ url }, {});
  const { path } = splitTarget(`http://localhost${target}`);
  const verb = VERBS[method] ?? (/^\/\w+$/.test(path) ? "list" : "get");
  const object = (headers.get("location") ?? path).replace(/^\//, "");
  const result = status < 400 ? "done" : status < 500 ? "refused" : "failed";
  const mediaType = headers.get("content-type") ?? "";
  const source = object === "" ? `by ${name}` : `${verb} ${object} by ${name}`;
  const who = groups.length === 0 ? { user: name } : { user: name, groups };
  return { method, target, status, mediaType, source, duration, ...who, verb, object, result };
}
