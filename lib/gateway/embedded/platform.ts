import type { BodyLimits } from "../../http/limits/body_limits.ts";
import type { Bytes } from "../../http/handler.ts";
import type { Send } from "../../http/url/upstream.ts";
import type { ClientInfo } from "./request_context.ts";

/** A request for a WebSocket at an upstream. */
export interface WebSocketHandshake {
  readonly protocols: string[];
  /** The headers for the upstream, without those of the WebSocket handshake (`Sec-WebSocket-…`). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The time in which the upstream must accept the WebSocket, in milliseconds; 0 for no limit. */
  readonly timeout: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The result of a WebSocket handshake with an upstream. */
export type WebSocketOutcome =
  | {
    readonly kind: "open";
    readonly socket: UpstreamSocket;
    /** The values of `Set-Cookie` in the upstream's response. */
    readonly cookies: readonly string[];
  }
  /** The upstream answers the handshake by a response with a status from 300 on, such as 401. */
  | { readonly kind: "answered"; readonly response: Response }
  /** The upstream doesn't accept the WebSocket. The reason is for the log only, since it may name addresses. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "gone" };

/** An open WebSocket to an upstream. */
export interface UpstreamSocket {
  /** The subprotocol that the upstream has chosen; empty if there is none. */
  readonly protocol: string;
  /** The number of bytes that wait to be sent. */
  readonly bufferedAmount: number;
  /** Sends a text or bytes; does nothing once the WebSocket is closing. */
  send(message: string | Bytes): void;
  close(code?: number, reason?: string): void;
  /** Starts receiving. Messages that arrive before are buffered. */
  listen(onMessage: (message: string | Bytes) => void, onClose: (code: number, reason: string) => void): void;
}

/** The functions of the environment that a gateway needs. */
export interface GatewayPlatform {
  /** Sends requests to token issuers. */
  fetch: typeof fetch;
  /** Sends requests to upstreams and to authorization servers. */
  send: Send;
  /**
   * Returns the URL of a service that a definition names; `undefined` if it isn't known.
   * Called once for each route.
   */
  resolveService(namespace: string, name: string, port: number): URL | undefined;
  /**
   * Whether the client with an IP address is a proxy that tells scheme and host of its client's requests by
   * `X-Forwarded-Proto` and `X-Forwarded-Host`. Default: none is.
   */
  isTrustedProxy?: ((address: string) => boolean) | undefined;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Returns a random number from 0 to below 1. */
  random(): number;
  /** Waits before a request is sent again, at most until the client has disconnected. Default: no pause. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** What the bodies of all requests may take together while they are read. Default: 64 MiB, no limit of time. */
  readonly bodies?: BodyLimits;
  /** Accepts a client's WebSocket handshake, as `Deno.upgradeWebSocket` does. Default: WebSockets are not supported. */
  upgradeWebSocket?(request: Request, client: ClientInfo): { socket: WebSocket; response: Response };
  /** Opens a WebSocket to an upstream. Default: WebSockets are not supported. */
  connectWebSocket?(url: string, handshake: WebSocketHandshake): Promise<WebSocketOutcome>;
  /**
   * Waits between two items of a mocked body that is sent item by item, such as server-sent events. Default: no delay.
   */
  pause?(): Promise<void>;
}
