import type { GatewayWorld, UpstreamRequest } from "../../lib/gateway/world.ts";
import type { UpstreamClient } from "./upstream/client.ts";

/** Where services are, as the command line says. */
export interface ServiceAddress {
  namespace: string;
  name: string;
  /** The one port that is meant; all of the service's when absent. */
  port?: number;
  url: URL;
}

/**
 * Makes the world of the embedded gateway: this process. What it opens is closed when it is disposed of.
 *
 * @param env Where upstreams are to be reached by a proxy of the network, as this says, `fetch` does it.
 */
export function createGatewayWorld(
  services: readonly ServiceAddress[],
  env: (name: string) => string | undefined,
): GatewayWorld & Disposable {
  const addresses = new Map(
    services.map((
      { namespace, name, port, url },
    ) => [`${namespace}/${name}${port === undefined ? "" : `:${port}`}`, url]),
  );
  let client: Promise<UpstreamClient> | undefined;
  return {
    fetch,
    ...(PROXIES.some((name) => env(name) ?? env(name.toLowerCase())) ? {} : { send }),
    resolveService: (namespace, name, port) =>
      addresses.get(`${namespace}/${name}:${port}`) ?? addresses.get(`${namespace}/${name}`),
    now: () => Date.now(),
    random: () => Math.random(),
    upgradeWebSocket: (request, options) => Deno.upgradeWebSocket(request, options),
    connectWebSocket: (url, { protocols, headers }) => new WebSocket(url, { protocols, headers }),
    [Symbol.dispose]: () => client?.then((client) => client[Symbol.dispose]()),
  };

  async function send(url: string, request: UpstreamRequest): Promise<Response> {
    client ??= import("./upstream/client.ts").then(({ createUpstreamClient }) => createUpstreamClient());
    return (await client).send(url, request);
  }
}

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
