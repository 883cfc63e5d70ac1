import type { Upstream } from "../../openapi/extension/settings.ts";
import type { GatewayPlatform } from "./platform.ts";
import { forwardedHeaders } from "../../http/forward.ts";
import type { Exchange } from "./request_context.ts";
import type { UpstreamOutcome } from "../../http/upstream.ts";

/** Where an upstream is. */
export type Origin =
  | {
    kind: "known";
    /** Scheme, host and port, perhaps with a path: `http://127.0.0.1:9000`. */
    base: string;
  }
  | {
    kind: "unknown";
    /** The service that nobody knows: `default/todo:80`. */
    service: string;
  };

/** Finds out where an upstream is; the namespace of a service is that of the API unless it has its own. */
export function originOf(
  { service, host }: Pick<Upstream, "service" | "host">,
  namespace: string,
  { resolveService }: Pick<GatewayPlatform, "resolveService">,
): Origin {
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

/** What to tell a client whose request can't go to a service that nobody knows. */
export function unknownService(service: string): string {
  const [name = service] = service.split(":");
  return `Where the service ${service} is isn't known. Start the gateway with --service ${name}=http://HOST:PORT.`;
}

/** The headers with which a request goes on to its upstream. */
export function upstreamHeaders(
  { request, client, replaced }: Pick<Exchange, "request" | "client" | "replaced">,
): [name: string, value: string][] {
  const headers = forwardedHeaders(request, client.remoteAddr.hostname);
  if (replaced === undefined) return headers;
  const kept = headers.filter(([name]) => !replaced.has(comparable(name)));
  return [...kept, ...[...replaced.values()].flatMap((field): [string, string][] => field ? [[...field]] : [])];
}

/** A name for {@linkcode Exchange.replaced}. */
export function comparable(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * Makes what chooses among several by weight.
 *
 * @param choices What is chosen from; weights of 0 are never chosen, unless all are 0.
 * @param random Gives numbers from 0 to below 1.
 * @returns Chooses one; `undefined` where there is nothing to choose from.
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

/** Methods that may be repeated with the same effect (RFC 9110, section 9.2.2), and QUERY. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** Whether a method may be repeated with the same effect. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/**
 * Whether a request may be sent again: it has failed by the upstream's fault, and the upstream can't have seen it or the
 * method is idempotent.
 */
export function mayRetry(method: string, outcome: UpstreamOutcome): boolean {
  switch (outcome.kind) {
    case "unreachable":
      return true;
    case "answered":
      return outcome.response.status >= 500 && isIdempotent(method);
    case "broken":
    case "timeout":
      return isIdempotent(method);
    case "silence":
    case "unsendable":
    case "gone":
      return false;
  }
}
