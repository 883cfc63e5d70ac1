import { setTimeout as sleep } from "node:timers/promises";
import type { ClientInfo } from "../../../lib/gateway/embedded/gateway.ts";
import type { GatewayPlatform, WebSocketHandshake, WebSocketOutcome } from "../../../lib/gateway/embedded/platform.ts";
import type { AddressRange } from "../address_range.ts";
import { BODIES } from "../bodies.ts";
import { MESSAGES, type Meter } from "../upstream/websocket_memory.ts";
import { type ConnectionBreaker, createConnectionBreaker, type OpenConnection } from "../socket.ts";
import { createRangeTest } from "../files/within_ranges.ts";
import { createLazyClient } from "../upstream/lazy_client.ts";

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
  // Loaded at the first WebSocket: loading the C library takes time.
  let breaker: ConnectionBreaker | null | undefined;
  return {
    fetch,
    send: client.send,
    resolveService: (namespace, name, port) =>
      addresses.get(`${namespace}/${name}:${port}`) ?? addresses.get(`${namespace}/${name}`),
    isTrustedProxy: proxies.length === 0 ? undefined : createRangeTest(proxies),
    now: () => Date.now(),
    random: () => Math.random(),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => {}),
    bodies: BODIES,
    upgradeWebSocket,
    connectWebSocket,
    [Symbol.dispose]: () => void client[Symbol.asyncDispose](),
  };

  function upgradeWebSocket(
    request: Request,
    { remoteAddr: { hostname, port } }: ClientInfo,
  ): Deno.WebSocketUpgrade {
    const upgraded = Deno.upgradeWebSocket(request);
    const { socket } = upgraded;
    let connection: OpenConnection | undefined;
    let meter: Meter | undefined;
    socket.addEventListener("open", () => {
      breaker ??= createConnectionBreaker() ?? null;
      if (hostname === undefined || port === undefined) return;
      connection = breaker?.find({ client: { hostname, port }, port: undefined });
      meter = MESSAGES.add({
        received: () => connection?.received(),
        waiting: () => socket.bufferedAmount,
        abort: () => connection === undefined ? socket.close() : connection.reset(),
      });
    });
    socket.addEventListener("message", () => meter?.onMessage());
    socket.addEventListener("close", () => meter?.stop());
    return upgraded;
  }

  async function connectWebSocket(url: string, handshake: WebSocketHandshake): Promise<WebSocketOutcome> {
    const { connectWebSocket } = await import("../upstream/websocket.ts");
    return connectWebSocket(url, handshake);
  }
}
