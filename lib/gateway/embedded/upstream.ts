import type { Upstream } from "../../openapi/extension/settings.ts";
import type { GatewayPlatform } from "./platform.ts";
import { authorityOf, forwardedHeaders } from "../../http/forward.ts";
import { isIdempotent } from "../../http/method.ts";
import type { RequestContext } from "./request_context.ts";
import type { UpstreamOutcome } from "../../http/url/upstream.ts";

/** The origin of an upstream, or the service whose URL isn't known. */
export type UpstreamOrigin =
  | {
    kind: "known";
    /** The URL of the upstream: scheme, host and port, perhaps with a path, as in `http://127.0.0.1:9000`. */
    base: string;
  }
  | {
    kind: "unknown";
    /** The service, with namespace and port: `default/todo:80`. */
    service: string;
  };

/**
 * Finds the origin of an upstream from its setting `service` or `host`.
 *
 * @param namespace Namespace of a service whose setting names no namespace.
 */
export function originOf(
  { service, host }: Pick<Upstream, "service" | "host">,
  namespace: string,
  { resolveService }: Pick<GatewayPlatform, "resolveService">,
): UpstreamOrigin {
  if (host !== undefined) {
    const { hostname, tls = false, port = tls ? 443 : 80 } = host;
    const name = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
    return { kind: "known", base: `${tls ? "https" : "http"}://${name}:${port}` };
  }
  const { name = "", namespace: own = namespace, port = 80 } = service ?? {};
  const url = resolveService(own, name, port);
  if (url === undefined) return { kind: "unknown", service: `${own}/${name}:${port}` };
  return { kind: "known", base: url.href.replace(/[?#].*$/, "").replace(/\/$/, "") };
}

/** Tells whether an upstream gets the `Host` of the client's request, and not its own. */
export function getsClientHost({ service, host_header: header }: Upstream, origin: UpstreamOrigin): boolean {
  // The certificate of a server with https is for its own name, so that this is most likely the name that it serves.
  const isPlain = origin.kind === "known" && !origin.base.startsWith("https:");
  return header === undefined ? service !== undefined && isPlain : header === "client";
}

/** Returns the detail of the problem for a request to a service whose URL isn't known. */
export function unknownService(service: string): string {
  const [name = service] = service.split(":");
  return `The URL of the service ${service} isn't known. Start the gateway with --service ${name}=http://HOST:PORT.`;
}

/** Makes the headers of a request to the upstream. */
export function upstreamHeaders(
  { request: { method, headers: sent }, url, client, replaced }: Pick<
    RequestContext,
    "request" | "url" | "client" | "replaced"
  >,
): [name: string, value: string][] {
  const headers = forwardedHeaders({ url, method, headers: sent }, client.remoteAddr.hostname);
  if (replaced === undefined) return headers;
  const kept = headers.filter(([name]) => !replaced.has(comparable(name)));
  return [...kept, ...[...replaced.values()].flatMap((field): [string, string][] => field ? [[...field]] : [])];
}

/** Adds the host by which the client has asked: that of the URL takes precedence (RFC 9112, section 3.2.2). */
export function withHostOf(
  { url, headers }: Pick<Request, "url" | "headers">,
  fields: [name: string, value: string][],
): typeof fields {
  const host = authorityOf(url) ?? headers.get("host");
  return host === null ? fields : [["host", host], ...fields];
}

/**
 * Returns a key for the name of a header. `X_User` has the same key as `X-User`, because CGI and WSGI servers read `_`
 * as `-`.
 */
export function comparable(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * Creates a function that chooses one of several choices at random, by weight. It returns `undefined` only if there are
 * no choices.
 *
 * @param choices A choice with weight 0 is never taken, unless all weights are 0.
 * @param random Gives numbers from 0 to below 1.
 */
export function createWeightedChoice<T extends { readonly weight: number }>(
  choices: readonly T[],
  random: () => number,
): () => T | undefined {
  const weighed = choices.filter(({ weight }) => weight > 0);
  const only = weighed[0] ?? choices[0];
  if (weighed.length <= 1) return () => only;

  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return () => {
    let rest = random() * total;
    return weighed.find(({ weight }) => (rest -= weight) < 0) ?? only;
  };
}

/**
 * Tells whether a failed request may be sent again: the upstream hasn't received it, or the upstream has failed and the
 * method is idempotent.
 */
export function mayRetry(method: string, outcome: UpstreamOutcome): boolean {
  switch (outcome.kind) {
    case "unreachable":
      return true;
    case "answered":
      return outcome.response.status >= 500 && isIdempotent(method);
    case "broken":
      return isIdempotent(method);
    // The limits of time hold for all attempts together.
    case "timeout":
    case "silence":
    case "unsendable":
    case "gone":
      return false;
  }
}
