// @ts-types="@types/ws"
import { WebSocket } from "ws";
import type { Question, Reply } from "../cluster/support/ask.ts";

/**
 * Opens a WebSocket at a gateway on this machine, and sends a message. The reply has the first message that comes back
 * as its text, or is the response by which the gateway refuses.
 */
export function askByWebSocket(port: number, question: Question, message: string): Promise<Reply> {
  const { host, path = "/", headers = {} } = question;
  const { "sec-websocket-protocol": offered, ...others } = headers;
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, offered?.split(", ") ?? [], {
    headers: { ...others, host },
    handshakeTimeout: 15_000,
    perMessageDeflate: false,
  });
  let fields = new Headers();
  socket.on("upgrade", ({ headersDistinct }) => fields = headersOf(headersDistinct));
  socket.on("open", () => socket.send(message));
  socket.on("message", (data) => {
    settle(101, fields, data.toString());
    socket.close();
  });
  socket.on("close", (code) => reject(new Error(`The WebSocket was closed with ${code} before a message came.`)));
  socket.on("unexpected-response", async (request, response) => {
    let text = "";
    for await (const chunk of response) text += chunk;
    settle(response.statusCode ?? 0, headersOf(response.headersDistinct), text);
    request.destroy();
  });
  socket.on("error", reject);
  return promise;

  function settle(status: number, headers: Headers, text: string): void {
    resolve({ status, headers, text, json: () => JSON.parse(text) });
  }
}

function headersOf(fields: NodeJS.Dict<string[]>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) for (const value of values ?? []) headers.append(name, value);
  return headers;
}
