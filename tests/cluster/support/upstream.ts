/**
 * Servers behind Services, as the upstreams of proxied operations.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/** A server at an address of the pods' network. */
export interface Endpoint {
  address: string;
  port: number;
}

/** A server that runs. */
export interface Upstream extends AsyncDisposable, Endpoint {
  readonly name: string;
}

/** A request in JSON, with which an upstream without a handler answers. */
export interface Echo {
  upstream: string;
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** An address that no other pod has. */
export function newAddress(): string {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint8Array(2));
  return `10.77.${a % 250 + 1}.${b % 250 + 1}`;
}

/**
 * Starts a server that answers each request with the request ({@linkcode Echo}), and returns each message of a
 * WebSocket.
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

/** The name of a Service, with its endpoints. */
export interface ServiceOptions {
  namespace: string;
  name: string;
  /** The ports of the Service. Default: port 80, without a name. */
  ports?: readonly { name: string; port: number; targetPort: number }[];
  /** The endpoints, which all listen on the same ports. */
  endpoints: readonly Endpoint[];
}

/** A Service and the EndpointSlice that its controller would make. */
export function serviceObjects({ namespace, name, ports, endpoints }: ServiceOptions): KubernetesObject[] {
  const named = ports ?? [{ name: "http", port: 80, targetPort: endpoints[0]?.port ?? 80 }];
  return [
    { apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec: { ports: named } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace, name: `${name}-1`, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      // The ports have the names that they have in the Service.
      ports: named.map(({ name, targetPort }) => ({ name, port: targetPort, protocol: "TCP" })),
      endpoints: endpoints.map(({ address }) => ({ addresses: [address], conditions: { ready: true } })),
    },
  ];
}
