import { forwardedHeaders, returnedResponse } from "../../http/forward.ts";
import { failureOf } from "../../http/url/upstream.ts";
import type { CustomAuth } from "../../openapi/extension/settings.ts";
import { type Guard, problemReply, type RequestContext, upstreamReply } from "./request_context.ts";
import { comparable, originOf, unknownService, withHostOf } from "./upstream.ts";
import type { GatewayPlatform } from "./platform.ts";

/** The time in which the authorization server must answer, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * The headers of a client's request that aren't sent to the authorization server: headers about the body, which isn't
 * sent, and headers that the guard sets itself.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  "content-length",
  "content-type",
  "content-encoding",
  "x-forwarded-method",
  "x-forwarded-uri",
]);

/**
 * Creates a guard that asks an authorization server about each request (`x-svc.auth.custom`). The guard sends the
 * method and headers of the request, without the body. With 2xx the request passes; any other response is returned to
 * the client.
 *
 * The URL has the path of the settings, or else the path and query of the request. `Host` is the client's, as Envoy
 * sends it. `X-Forwarded-Method` and `X-Forwarded-Uri` have the method, path and query of the request.
 *
 * `response_headers` in the settings names headers of the authorization server's response that are sent on to the
 * upstream. Headers of these names that the client has sent are removed, so that a client can't forge them.
 *
 * @param namespace Namespace of a service whose setting names no namespace.
 */
export function createCustomAuth(auth: CustomAuth, namespace: string, platform: GatewayPlatform): Guard {
  const origin = originOf(auth, namespace, platform);
  const { response_headers: names = [] } = auth;
  return async (context) => {
    const { request, url, target: { path, query }, client } = context;
    const { method } = request;
    if (origin.kind === "unknown") return unavailable(unknownService(origin.service));
    const uri = query === "" ? path : `${path}?${query}`;
    const fields = forwardedHeaders({ url, method, headers: request.headers }, client.remoteAddr.hostname)
      .filter(([name]) => !WITHHELD.has(comparable(name)));
    const outcome = await platform.send(`${origin.base}${auth.path ?? uri}`, {
      method,
      headers: withHostOf(request, [...fields, ["x-forwarded-method", method], ["x-forwarded-uri", uri]]),
      body: null,
      headTimeout: TIMEOUT,
      idleTimeout: TIMEOUT,
      signal: request.signal,
    });
    if (outcome.kind !== "answered") {
      const { reason } = failureOf(outcome, { headTimeout: TIMEOUT, idleTimeout: TIMEOUT });
      return { ...unavailable("The authorization server doesn't answer."), detail: `${origin.base}: ${reason}` };
    }
    const { response } = outcome;
    if (!response.ok) return upstreamReply(returnedResponse(response));
    await response.body?.cancel();
    if (names.length > 0) context.replaced = takenFrom(response.headers, names);
    return undefined;
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
