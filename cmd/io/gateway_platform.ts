import type { GatewayPlatform, WebSocketHandshake, WebSocketOutcome } from "../../lib/gateway/embedded/platform.ts";
import { createLazyClient } from "./upstream/lazy_client.ts";

/** The URL of a service, from `--service`. */
export interface ServiceAddress {
  namespace: string;
  name: string;
  /** The port. Default: all ports of the service. */
  port?: number;
  url: URL;
}

/**
 * Makes the platform of the embedded gateway in this process. Disposing of it closes its connections.
 *
 * @param env Environment variables, which may name a proxy of the network.
 */
export function createGatewayPlatform(
  services: readonly ServiceAddress[],
  env: (name: string) => string | undefined,
): GatewayPlatform & Disposable {
  const addresses = new Map(
    services.map((
      { namespace, name, port, url },
    ) => [`${namespace}/${name}${port === undefined ? "" : `:${port}`}`, url]),
  );
  const client = createLazyClient(env);
  return {
    fetch,
    send: client.send,
    resolveService: (namespace, name, port) =>
      addresses.get(`${namespace}/${name}:${port}`) ?? addresses.get(`${namespace}/${name}`),
    now: () => Date.now(),
    random: () => Math.random(),
    upgradeWebSocket: (request, options) => Deno.upgradeWebSocket(request, options),
    connectWebSocket,
    [Symbol.dispose]: () => void client[Symbol.asyncDispose](),
  };

  async function connectWebSocket(url: string, handshake: WebSocketHandshake): Promise<WebSocketOutcome> {
    const { connectWebSocket } = await import("./upstream/websocket.ts");
    return connectWebSocket(url, handshake);
  }
}
