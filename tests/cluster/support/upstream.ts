/**
 * Servers behind Services: the upstreams of proxied operations.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/** An address and port in the network of the pods. */
export interface Endpoint {
  address: string;
  port: number;
}

export interface Upstream extends AsyncDisposable, Endpoint {
  readonly name: string;
}

/** The request that an upstream got, which the upstream sends back as JSON. */
export interface Echo {
  upstream: string;
  method: string;
  /** Path and query of the URL. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Returns an address that no other pod has. */
export function newAddress(): string {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint8Array(2));
  return `10.77.${a % 250 + 1}.${b % 250 + 1}`;
}

/**
 * Starts a server that echoes: to each request it answers with an {@linkcode Echo}, and each WebSocket message it sends
 * back.
 *
 * @param handler Answers the requests instead.
 */
export function startUpstream(name: string, handler?: Deno.ServeHandler): Upstream {
  const address = newAddress();
  const server = Deno.serve({ hostname: address, port: 0, onListen: () => {} }, handler ?? echo);
  return { name, address, port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };

  async function echo(request: Request): Promise<Response> {
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send(data);
      return response;
    }
    const { pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    const body = await request.text();
    return Response.json(
      { upstream: name, method: request.method, url: pathname + search, headers, body } satisfies Echo,
    );
  }
}

export interface ServiceOptions {
  namespace: string;
  name: string;
  /** The ports of the Service. Default: an unnamed port 80. */
  ports?: readonly { name: string; port: number; targetPort: number }[];
  /** The endpoints. All listen on the same ports. */
  endpoints: readonly Endpoint[];
}

/** A Service, and the EndpointSlice that a cluster's controller would make for it. */
export function serviceObjects({ namespace, name, ports, endpoints }: ServiceOptions): KubernetesObject[] {
  const named = ports ?? [{ name: "http", port: 80, targetPort: endpoints[0]?.port ?? 80 }];
  return [
    { apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec: { ports: named } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace, name: `${name}-1`, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      // Ports have the same names in the EndpointSlice as in the Service.
      ports: named.map(({ name, targetPort }) => ({ name, port: targetPort, protocol: "TCP" })),
      endpoints: endpoints.map(({ address }) => ({ addresses: [address], conditions: { ready: true } })),
    },
  ];
}
