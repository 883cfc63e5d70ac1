import type { Bytes } from "../http/handler.ts";

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: string;
  readonly headers: [name: string, value: string][];
  readonly body: ReadableStream<Bytes> | Bytes | null;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What a gateway needs of the world. */
export interface GatewayWorld {
  /** Sends requests to authorization servers, and for the keys of issuers. */
  fetch: typeof fetch;
  /** Sends requests to upstreams; redirects are answers like any other. Default: `fetch`. */
  send?(url: string, request: UpstreamRequest): Promise<Response>;
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
