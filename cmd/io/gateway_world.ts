import type { GatewayWorld } from "../../lib/gateway/world.ts";

/** Where services are, as the command line says. */
export interface ServiceAddress {
  namespace: string;
  name: string;
  url: URL;
}

/** Makes the world of the embedded gateway: this process. */
export function createGatewayWorld(services: readonly ServiceAddress[]): GatewayWorld {
  const addresses = new Map(services.map(({ namespace, name, url }) => [`${namespace}/${name}`, url]));
  return {
    fetch,
    resolveService: (namespace, name) => addresses.get(`${namespace}/${name}`),
    now: () => Date.now(),
    random: () => Math.random(),
    upgradeWebSocket: (request, options) => Deno.upgradeWebSocket(request, options),
    connectWebSocket: (url, { protocols, headers }) => new WebSocket(url, { protocols, headers }),
  };
}
