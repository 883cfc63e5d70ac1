import type { GatewayWorld } from "../../lib/gateway/world.ts";

/** Where services are, as the command line says. */
export interface ServiceAddress {
  namespace: string;
  name: string;
  /** The one port that is meant; all of the service's when absent. */
  port?: number;
  url: URL;
}

/** Makes the world of the embedded gateway: this process. */
export function createGatewayWorld(services: readonly ServiceAddress[]): GatewayWorld {
  const addresses = new Map(
    services.map((
      { namespace, name, port, url },
    ) => [`${namespace}/${name}${port === undefined ? "" : `:${port}`}`, url]),
  );
  return {
    fetch,
    resolveService: (namespace, name, port) =>
      addresses.get(`${namespace}/${name}:${port}`) ?? addresses.get(`${namespace}/${name}`),
    now: () => Date.now(),
    random: () => Math.random(),
    upgradeWebSocket: (request, options) => Deno.upgradeWebSocket(request, options),
    connectWebSocket: (url, { protocols, headers }) => new WebSocket(url, { protocols, headers }),
  };
}
