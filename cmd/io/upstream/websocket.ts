import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
// @ts-types="@types/ws"
import { type RawData, WebSocket } from "ws";
import type { UpstreamSocket, WebSocketHandshake, WebSocketOutcome } from "../../../lib/gateway/embedded/platform.ts";
import type { Bytes } from "../../../lib/http/handler.ts";
import { MESSAGES, MOST_MESSAGE } from "./websocket_memory.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { endsWithHead, findError, headersOf } from "./response_head.ts";

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
      maxPayload: MOST_MESSAGE,
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
  let connection: IncomingMessage["socket"] | undefined;
  socket.on("upgrade", (response: IncomingMessage) => {
    cookies = response.headers["set-cookie"] ?? [];
    connection = response.socket;
  });
  socket.on("open", () => {
    // Read no messages until the client's connection is open too.
    socket.pause();
    const meter = MESSAGES.add({
      received: () => connection?.bytesRead,
      waiting: () => socket.bufferedAmount,
      abort: () => socket.terminate(),
    });
    socket.on("message", meter.onMessage);
    socket.on("close", meter.stop);
    settle({ kind: "open", socket: upstreamSocketOf(socket), cookies });
  });
  socket.on("unexpected-response", (request, response) => {
    // The connection isn't used again, since the upstream may take what follows for WebSocket messages.
    const answer = responseOf(response, () => {
      request.destroy();
      // A request whose response is complete no longer destroys its connection.
      request.socket?.destroy();
    });
    settle(
      answer === undefined
        ? { kind: "refused", reason: `It answers ${response.statusCode}.` }
        : { kind: "answered", response: answer },
    );
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

/**
 * Makes a Response from that of an upstream; `undefined` if it isn't passed on.
 *
 * @param disconnect Ends the connection; called when no more of it is needed.
 */
function responseOf(answer: IncomingMessage, disconnect: () => void): Response | undefined {
  const { statusCode: status = 0, statusMessage: statusText = "", headersDistinct } = answer;
  try {
    if (status >= 300 && findError(status, headersDistinct) === undefined) {
      const headers = headersOf(status, headersDistinct);
      const hasBody = !endsWithHead("GET", status);
      const response = new Response(hasBody ? streamOf(answer, disconnect) : null, { status, statusText, headers });
      if (!hasBody) disconnect();
      return response;
    }
  } catch { /* The reason phrase or a field has a character that a response can't have. */ }
  disconnect();
  return undefined;
}

/** Reads a response as a stream, with the back-pressure of its reader. */
function streamOf(answer: IncomingMessage, disconnect: () => void): ReadableStream<Bytes> {
  const chunks = answer[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (!done) return controller.enqueue(value);
      disconnect();
      controller.close();
    },
    cancel: disconnect,
  }, { highWaterMark: 0 });
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
