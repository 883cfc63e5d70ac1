import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
// @ts-types="@types/ws"
import { type RawData, WebSocket } from "ws";
import type { UpstreamSocket, WebSocketHandshake, WebSocketOutcome } from "../../../lib/gateway/embedded/platform.ts";
import type { Bytes } from "../../../lib/http/handler.ts";
import { messageOf } from "../../../lib/http/message.ts";

/** The number of bytes in a message; a larger message ends the connection. */
const MOST_PAYLOAD = 64 * 1024 * 1024;

/** Opens a WebSocket to an upstream. The handshake has the given headers, and those that RFC 6455 requires. */
export function connectWebSocket(
  url: string,
  { protocols, headers, timeout, signal }: WebSocketHandshake,
): Promise<WebSocketOutcome> {
  const { promise, resolve } = Promise.withResolvers<WebSocketOutcome>();
  let socket: WebSocket;
  try {
    socket = new WebSocket(url, protocols, {
      headers: Object.fromEntries(headers),
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: MOST_PAYLOAD,
      finishRequest(request) {
        // Set the header here: ws joins protocols by a comma without a space, and servers that run on Deno split them
        // at a comma and a space.
        if (protocols.length > 0) request.setHeader("sec-websocket-protocol", protocols.join(", "));
        request.end();
      },
    });
  } catch (error) {
    return Promise.resolve({ kind: "refused", reason: messageOf(error) });
  }
  let cookies: readonly string[] = [];
  const timer = timeout > 0 ? setTimeout(() => giveUp({ kind: "timeout" }), timeout) : undefined;
  const onAbort = (): void => giveUp({ kind: "gone" });
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  socket.on("upgrade", (response: IncomingMessage) => cookies = response.headers["set-cookie"] ?? []);
  socket.on("open", () => {
    // Read no messages until the client's connection is open too.
    socket.pause();
    settle({ kind: "open", socket: upstreamSocketOf(socket), cookies });
  });
  // After `open`, an error is followed by `close`, which `upstreamSocketOf` handles.
  socket.on("error", (error) => settle({ kind: "refused", reason: messageOf(error) }));
  return promise;

  function giveUp(outcome: WebSocketOutcome): void {
    settle(outcome);
    socket.terminate();
  }

  function settle(outcome: WebSocketOutcome): void {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    resolve(outcome);
  }
}

function upstreamSocketOf(socket: WebSocket): UpstreamSocket {
  let ended: { code: number; reason: string } | undefined;
  let onEnd = (code: number, reason: string): void => void (ended = { code, reason });
  socket.on("close", (code, reason) => onEnd(code, reason.toString()));
  return {
    protocol: socket.protocol,
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    close: (code, reason) => socket.close(code, reason),
    listen(onMessage, onClose) {
      if (ended !== undefined) return onClose(ended.code, ended.reason);
      onEnd = onClose;
      socket.on("message", (data, isBinary) => onMessage(isBinary ? bytesOf(data) : data.toString()));
      socket.resume();
    },
  };
}

function bytesOf(data: RawData): Bytes {
  return Array.isArray(data) ? new Uint8Array(Buffer.concat(data)) : new Uint8Array(data);
}
