import { forwardedHeaders, returnedResponse } from "../../http/forward.ts";
import type { CustomAuth } from "../../openapi/extension/settings.ts";
import { type Guard, problemReply, type RequestContext, upstreamReply } from "./request_context.ts";
import { comparable, originOf, unknownService } from "./upstream.ts";
import type { GatewayPlatform } from "./platform.ts";

/** Milliseconds in which the authorization server must answer. */
const TIMEOUT = 10_000;

/**
 * Headers of the client that aren't sent to the authorization server: those that describe the body, which isn't sent,
 * and those that the guard sets itself.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  "content-length",
  "content-type",
  "content-encoding",
  "x-forwarded-method",
  "x-forwarded-uri",
]);

/**
 * Creates a guard that sends each request to an authorization server, with the same method and headers and without the
 * body. On 2xx the request passes; any other response of the authorization server is the reply.
 *
 * The authorization server gets the path of the settings; without such a setting, the request's path and query.
 * `X-Forwarded-Method` and `X-Forwarded-Uri` are always the request's own method, path and query.
 *
 * The settings name response headers of the authorization server that are sent on to the upstream. Headers of the same
 * names that the client sent are removed, so that a client can't forge them.
 *
 * @param namespace Namespace of a service whose setting names no namespace.
 */
export function createCustomAuth(auth: CustomAuth, namespace: string, platform: GatewayPlatform): Guard {
  const origin = originOf(auth, namespace, platform);
  const { response_headers: names = [] } = auth;
  return async (context) => {
    const { request, target: { path, query }, client } = context;
    if (origin.kind === "unknown") return unavailable(unknownService(origin.service));
    const uri = query === "" ? path : `${path}?${query}`;
    const fields = forwardedHeaders(request, client.remoteAddr.hostname);
    const headers = new Headers(fields.filter(([name]) => !WITHHELD.has(comparable(name))));
    headers.set("x-forwarded-method", request.method);
    headers.set("x-forwarded-uri", uri);
    try {
      const response = await platform.fetch(`${origin.base}${auth.path ?? uri}`, {
        method: request.method,
        headers,
        redirect: "manual",
        signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT)]),
      });
      if (!response.ok) return upstreamReply(returnedResponse(response));
      await response.body?.cancel();
      if (names.length > 0) context.replaced = takenFrom(response.headers, names);
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
      const reply = unavailable("The authorization server doesn't answer.");
      return { ...reply, detail: `${origin.base}: ${reason}` };
    }
  };
}

function takenFrom(headers: Headers, names: readonly string[]): NonNullable<RequestContext["replaced"]> {
  return new Map(names.map((name) => {
    const value = headers.get(name);
    return [comparable(name), value === null ? undefined : [name.toLowerCase(), value] as const];
  }));
}

function unavailable(detail: string): ReturnType<typeof problemReply> {
  return problemReply({ title: "Service Unavailable", status: 503, detail });
}
