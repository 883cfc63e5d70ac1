import { forwardedHeaders, returnedResponse } from "../../http/forward.ts";
import type { CustomAuth } from "../../openapi/extension/settings.ts";
import { type Exchange, type Guard, problemReply, upstreamReply } from "./request_context.ts";
import { originOf, unknownService } from "./upstream.ts";
import { comparable } from "./upstream.ts";
import type { GatewayPlatform } from "./platform.ts";

/** How long the server that decides may take, in milliseconds. */
const TIMEOUT = 10_000;

/** Headers of the request's body, which stays here, and those that tell the server of the request. */
const WITHHELD: ReadonlySet<string> = new Set([
  "content-length",
  "content-type",
  "content-encoding",
  "x-forwarded-method",
  "x-forwarded-uri",
]);

/**
 * Makes what asks another server about each request, by a request with the same method and headers and without a body:
 * the request passes when that server answers 2xx, and is else answered as that server does.
 *
 * The path is that of the settings, else that of the request; `X-Forwarded-Method` and `X-Forwarded-Uri` tell the request's.
 * The upstream gets the headers of the answer that the settings name, and none of these from the client.
 *
 * @param namespace Namespace of services that don't have their own.
 */
export function createCustomAuth(auth: CustomAuth, namespace: string, platform: GatewayPlatform): Guard {
  const origin = originOf(auth, namespace, platform);
  const { response_headers: names = [] } = auth;
  return async (exchange) => {
    const { request, target: { path, query }, client } = exchange;
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
      if (names.length > 0) exchange.replaced = takenFrom(response.headers, names);
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
      const reply = unavailable("The server that decides whether the request may pass doesn't answer.");
      return { ...reply, detail: `${origin.base}: ${reason}` };
    }
  };
}

function takenFrom(headers: Headers, names: readonly string[]): NonNullable<Exchange["replaced"]> {
  return new Map(names.map((name) => {
    const value = headers.get(name);
    return [comparable(name), value === null ? undefined : [name.toLowerCase(), value] as const];
  }));
}

function unavailable(detail: string): ReturnType<typeof problemReply> {
  return problemReply({ title: "Service Unavailable", status: 503, detail });
}
