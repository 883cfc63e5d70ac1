import type { Bytes } from "../../http/handler.ts";
import type { Send } from "../../http/upstream.ts";

/** A WebSocket handshake with an upstream. */
export interface WebSocketHandshake {
  readonly protocols: string[];
  /** Header fields, without those of the WebSocket handshake itself. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Milliseconds in which the upstream must accept the WebSocket; 0 for no limit. */
  readonly timeout: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The result of a WebSocket handshake with an upstream. */
export type WebSocketOutcome =
  | {
    readonly kind: "open";
    readonly socket: UpstreamSocket;
    /** Values of `Set-Cookie` in the upstream's answer. */
    readonly cookies: readonly string[];
  }
  /** `reason` is for the log: it may name addresses. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "gone" };

/** An open WebSocket to an upstream. */
export interface UpstreamSocket {
  /** The subprotocol; empty if there is none. */
  readonly protocol: string;
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number;
  /** Sends a text or bytes; does nothing once the WebSocket is closing. */
  send(message: string | Bytes): void;
  close(code?: number, reason?: string): void;
  /** Begins to receive: messages wait until this is called. */
  listen(onMessage: (message: string | Bytes) => void, onClose: (code: number, reason: string) => void): void;
}

/** The functions of the process that a gateway needs. */
export interface GatewayPlatform {
  /** Sends requests to authorization servers, and for the keys of issuers. */
  fetch: typeof fetch;
  /** Sends requests to upstreams. */
  send: Send;
  /** The URL of a service; `undefined` if it isn't known. Called once for each route. */
  resolveService(namespace: string, name: string, port: number): URL | undefined;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** A number from 0 to below 1. */
  random(): number;
  /** Accepts a client's WebSocket handshake, as `Deno.upgradeWebSocket` does. Default: no WebSockets. */
  upgradeWebSocket?(request: Request, options: { protocol?: string }): { socket: WebSocket; response: Response };
  /** Opens a WebSocket to an upstream. Default: no WebSockets. */
  connectWebSocket?(url: string, handshake: WebSocketHandshake): Promise<WebSocketOutcome>;
  /** Waits between the items of a mocked body that is sent item by item. Default: not at all. */
  pause?(): Promise<void>;
}
