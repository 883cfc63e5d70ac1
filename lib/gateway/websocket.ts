/**
 * Passes WebSockets (RFC 6455) on: one to the client, one to the upstream, and what each says to the other.
 *
 * @module
 */
import { problemReply, type Reply } from "./exchange.ts";
import type { GatewayWorld } from "./world.ts";

/** The fields of a handshake, which each of the two connections has of its own. */
const HANDSHAKE = [
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
];

/** Bytes that may wait for a receiver; one that is slower than that is given up. */
const MOST_WAITING = 16 * 1024 * 1024;

/** Whether a request wants to become a WebSocket. */
export function isWebSocketRequest({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  return method === "GET" && headers.get("upgrade")?.toLowerCase() === "websocket";
}

/**
 * Connects a client with an upstream: 502 when the upstream doesn't take the WebSocket, 504 when it doesn't in time.
 *
 * @param url Where the upstream is, with `http` or `https`.
 * @param fields Headers: what the upstream is told.
 * @param timeout How long the upstream may take, in milliseconds; 0 for any time.
 */
export async function passWebSocket(
  request: Request,
  url: string,
  fields: [name: string, value: string][],
  timeout: number,
  world: Pick<GatewayWorld, "upgradeWebSocket" | "connectWebSocket">,
): Promise<Reply> {
  if (world.upgradeWebSocket === undefined || world.connectWebSocket === undefined) {
    return problemReply({ title: "Not Implemented", status: 501, detail: "This gateway passes no WebSockets on." });
  }
  const headers = new Headers(fields);
  const protocols = (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim())
    .filter((name) => name !== "");
  for (const name of HANDSHAKE) headers.delete(name);
  const upstream = world.connectWebSocket(url.replace(/^http/, "ws"), { protocols, headers });
  upstream.binaryType = "arraybuffer";
  const waiting = hold(upstream);
  const opened = await untilOpen(upstream, request.signal, timeout);
  if (opened !== "open") {
    upstream.onclose = null;
    if (opened === "timeout") {
      const detail = `The upstream ${url} has not taken the WebSocket within ${timeout / 1000} s.`;
      return problemReply({ title: "Gateway Timeout", status: 504, detail });
    }
    const detail = `The upstream ${url} doesn't take the WebSocket.`;
    return problemReply({ title: "Bad Gateway", status: 502, detail });
  }

  const { socket, response } = world.upgradeWebSocket(request, {
    ...(upstream.protocol === "" ? {} : { protocol: upstream.protocol }),
  });
  socket.binaryType = "arraybuffer";
  pass(socket, upstream);
  socket.onopen = () => waiting.releaseTo((event) => send(socket, event, upstream), () => pass(upstream, socket));
  return { response, mediaType: "", source: "upstream" };
}

function untilOpen(socket: WebSocket, signal: AbortSignal, timeout: number): Promise<"open" | "closed" | "timeout"> {
  const { promise, resolve } = Promise.withResolvers<"open" | "closed" | "timeout">();
  const giveUp = (): void => {
    resolve("closed");
    socket.close();
  };
  const timer = timeout > 0 ? setTimeout(() => (resolve("timeout"), socket.close()), timeout) : undefined;
  signal.addEventListener("abort", giveUp, { once: true });
  socket.onopen = () => resolve("open");
  socket.onerror = () => resolve("closed");
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  });
}

/** Holds back what an upstream says until the client is there to hear it. */
function hold(upstream: WebSocket): { releaseTo: (hear: (event: MessageEvent) => void, then: () => void) => void } {
  const messages: MessageEvent[] = [];
  let size = 0;
  let closed: CloseEvent | undefined;
  upstream.onmessage = (event) => {
    size += sizeOf(event);
    if (size > MOST_WAITING) upstream.close(1000, "the other side is too slow");
    else messages.push(event);
  };
  upstream.onclose = (event) => closed = event;
  return {
    releaseTo(hear, then) {
      for (const event of messages) hear(event);
      then();
      if (closed !== undefined) upstream.onclose?.(closed);
    },
  };
}

/** Size of a message: bytes, or the characters of a text. */
function sizeOf({ data }: MessageEvent): number {
  return data instanceof ArrayBuffer ? data.byteLength : String(data).length;
}

/** Passes on what one socket hears, and its end. */
function pass(from: WebSocket, to: WebSocket): void {
  from.onmessage = (event) => send(to, event, from);
  from.onclose = ({ code, reason }) => close(to, code, reason);
  from.onerror = () => {};
}

function send(to: WebSocket, { data }: MessageEvent, from: WebSocket): void {
  if (to.readyState !== WebSocket.OPEN) return;
  if (to.bufferedAmount > MOST_WAITING) {
    close(to, 1000, "too slow");
    close(from, 1000, "the other side is too slow");
    return;
  }
  to.send(data);
}

/** Only some codes can be said by a program (WebSockets Standard, section 3.1); others become a plain end. */
function close(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState >= WebSocket.CLOSING) return;
  if (code === 1000 || (code >= 3000 && code <= 4999)) socket.close(code, reason);
  else socket.close();
}
