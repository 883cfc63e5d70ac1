import type { Upstream } from "../../openapi/extension/settings.ts";
import type { GatewayPlatform } from "./platform.ts";

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
