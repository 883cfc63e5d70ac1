/** What a gateway needs of the world. */
export interface GatewayWorld {
  /** Sends requests to upstreams, to authorization servers, and for the keys of issuers. */
  fetch: typeof fetch;
  /** Where a service is; `undefined` where nobody knows. Asked once for each route. */
  resolveService(namespace: string, name: string, port: number): URL | undefined;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** A number from 0 to below 1. */
  random(): number;
  /** Takes on a client's WebSocket, as `Deno.upgradeWebSocket` does. Default: no WebSockets. */
  upgradeWebSocket?(request: Request, options: { protocol?: string }): { socket: WebSocket; response: Response };
  /** Opens a WebSocket to an upstream. Default: no WebSockets. */
  connectWebSocket?(url: string, options: { protocols: string[]; headers: Headers }): WebSocket;
  /** Waits between the items of a mocked body that is sent item by item. Default: not at all. */
  pause?(): Promise<void>;
}
