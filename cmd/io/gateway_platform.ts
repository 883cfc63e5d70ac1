import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayPlatform, WebSocketHandshake, WebSocketOutcome } from "../../lib/gateway/embedded/platform.ts";
import { type AddressRange, createRangeTest } from "./address_range.ts";
import { createLazyClient } from "./upstream/lazy_client.ts";

/** The URL of a service, as `--service` sets it. */
export interface ServiceAddress {
  namespace: string;
  name: string;
  /** The port. Default: all ports of the service. */
  port?: number;
  url: URL;
}

/**
 * Makes the platform of the embedded gateway: its connections to upstreams. Disposing of it closes them.
 *
 * @param proxies The addresses of trusted proxies.
 * @param env Environment variables, which may name an HTTP proxy: `HTTPS_PROXY`.
 */
export function createGatewayPlatform(
  services: readonly ServiceAddress[],
  proxies: readonly AddressRange[],
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
    isTrustedProxy: proxies.length === 0 ? undefined : createRangeTest(proxies),
    now: () => Date.now(),
    random: () => Math.random(),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => {}),
    upgradeWebSocket: (request, options) => Deno.upgradeWebSocket(request, options),
    connectWebSocket,
    [Symbol.dispose]: () => void client[Symbol.asyncDispose](),
  };

  async function connectWebSocket(url: string, handshake: WebSocketHandshake): Promise<WebSocketOutcome> {
    const { connectWebSocket } = await import("./upstream/websocket.ts");
    return connectWebSocket(url, handshake);
  }
}
