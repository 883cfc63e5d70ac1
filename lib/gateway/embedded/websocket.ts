/**
 * Proxies WebSockets (RFC 6455): forwards messages between a connection to the client and a connection to the upstream.
 *
 * @module
 */
import type { Bytes } from "../../http/handler.ts";
import { returnedResponse } from "../../http/forward.ts";
import { type ClientInfo, problemReply, type Reply, upstreamReply, withResponseHeaders } from "./request_context.ts";
import type { GatewayPlatform, UpstreamSocket } from "./platform.ts";

/** Headers of the WebSocket handshake. They aren't forwarded, because each connection has a handshake of its own. */
const HANDSHAKE = new Set([
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
]);

/**
 * The most bytes that may wait to be sent to either side. If more wait, both connections are closed: the WebSocket API
 * has no back-pressure.
 */
const MOST_WAITING = 16 * 1024 * 1024;

/** The version of the protocol (RFC 6455, section 4.2.1). */
const VERSION = "13";

/** Matches a `Sec-WebSocket-Key`: 16 bytes in base64 (RFC 6455, section 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/**
 * Tells whether a request is a WebSocket handshake. `Upgrade` counts only if `Connection` names it (RFC 9110, section
 * 7.8).
 */
export function isWebSocketRequest({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  return method === "GET" && headers.get("upgrade")?.toLowerCase() === "websocket" &&
    namesIn(headers.get("connection") ?? "").some((name) => name.toLowerCase() === "upgrade");
}

/**
 * Accepts a client's WebSocket and connects it with an upstream. It replies 400 if the handshake is invalid, 426 for
 * another version than 13 (RFC 6455, section 4.2.2), with the upstream's response if the upstream refuses the WebSocket,
 * 502 if there is no such response, and 504 if the upstream doesn't accept it in time.
 *
 * @param url URL at the upstream, with `http` or `https`.
 * @param fields Header fields for the upstream.
 * @param info The client, for the platform.
 * @param timeout Milliseconds in which the handshake must succeed; 0 for no limit.
 */
export async function passWebSocket(
  request: Request,
  url: string,
  fields: readonly [name: string, value: string][],
  timeout: number,
  { upgradeWebSocket, connectWebSocket }: Pick<GatewayPlatform, "upgradeWebSocket" | "connectWebSocket">,
  info: ClientInfo,
): Promise<Reply> {
  if (upgradeWebSocket === undefined || connectWebSocket === undefined) {
    return problemReply({ title: "Not Implemented", status: 501, detail: "This gateway doesn't proxy WebSockets." });
  }
  // A handshake is checked before the upstream gets one, so that no invalid handshake reaches it.
  if (request.headers.get("sec-websocket-version") !== VERSION) {
    const detail = `The version of the WebSocket protocol must be ${VERSION}, as Sec-WebSocket-Version.`;
    const problem = { title: "Upgrade Required", status: 426, detail };
    return problemReply(problem, [["sec-websocket-version", VERSION], ["connection", "Upgrade"], [
      "upgrade",
      "websocket",
    ]]);
  }
  if (!request.headers.has("host")) {
    return problemReply({ title: "Bad Request", status: 400, detail: "The WebSocket handshake has no Host." });
  }
  if (!KEY.test(request.headers.get("sec-websocket-key") ?? "")) {
    const detail = "The WebSocket handshake has no valid Sec-WebSocket-Key.";
    return problemReply({ title: "Bad Request", status: 400, detail });
  }
  const outcome = await connectWebSocket(url.replace(/^http/, "ws"), {
    protocols: namesIn(request.headers.get("sec-websocket-protocol") ?? ""),
    headers: fields.filter(([name]) => !HANDSHAKE.has(name)),
    timeout,
    signal: request.signal,
  });
  switch (outcome.kind) {
    case "open":
      try {
        return join(outcome.socket, outcome.cookies, upgradeWebSocket);
      } catch (error) {
        outcome.socket.close();
        throw error;
      }
    case "answered": {
      const { status, headers } = outcome.response;
      const reply = upstreamReply(returnedResponse(outcome.response));
      // A 426 must name the protocols that the upstream wants (RFC 9110, section 15.5.22).
      const upgrade = status === 426 ? headers.get("upgrade") : null;
      return upgrade === null ? reply : withResponseHeaders(reply, [["upgrade", upgrade]]);
    }
    case "timeout": {
      const detail = `The upstream has not accepted the WebSocket within ${timeout / 1000} s.`;
      return { ...problemReply({ title: "Gateway Timeout", status: 504, detail }), detail: `${url}: ${detail}` };
    }
    case "refused": {
      const detail = "The upstream doesn't accept the WebSocket.";
      const remark = `${url}: ${detail} ${outcome.reason}`;
      return { ...problemReply({ title: "Bad Gateway", status: 502, detail }), detail: remark };
    }
    case "gone":
      return problemReply({ title: "Bad Gateway", status: 502, detail: "The client has disconnected." });
  }

  function join(
    upstream: UpstreamSocket,
    cookies: readonly string[],
    upgrade: NonNullable<GatewayPlatform["upgradeWebSocket"]>,
  ): Reply {
    const { protocol } = upstream;
    const { socket: client, response } = upgrade(request, info);
    // Not by the option of `Deno.upgradeWebSocket`, which refuses protocols that are joined without a space: "a,b".
    if (protocol !== "") response.headers.set("sec-websocket-protocol", protocol);
    for (const cookie of cookies) response.headers.append("set-cookie", cookie);
    client.binaryType = "arraybuffer";
    client.onmessage = ({ data }) => sendToUpstream(data);
    client.onclose = ({ code, reason }) => close(upstream, code, reason);
    client.onerror = () => {};
    client.onopen = () => upstream.listen(sendToClient, (code, reason) => close(client, code, reason));
    return { response, mediaType: "", source: "upstream" };

    function sendToUpstream(message: string | ArrayBuffer): void {
      if (upstream.bufferedAmount > MOST_WAITING) return closeBoth(upstream, client);
      upstream.send(typeof message === "string" ? message : new Uint8Array(message));
    }

    function sendToClient(message: string | Bytes): void {
      if (client.readyState !== WebSocket.OPEN) return;
      if (client.bufferedAmount > MOST_WAITING) return closeBoth(client, upstream);
      client.send(message);
    }
  }
}

type Closable = Pick<UpstreamSocket, "close">;

function closeBoth(slow: Closable, other: Closable): void {
  slow.close(1000, "too slow");
  other.close(1000, "the other side is too slow");
}

/** The code for a connection that was lost (RFC 6455, section 7.4.1): such a connection itself has none. */
const LOST = 1006;
const INTERNAL_ERROR = 1011;

/**
 * Closes a WebSocket with the code and reason of the other side. A lost connection becomes an internal error, since the
 * code for it can't be sent. Other codes that can't be sent, such as 1005 (no code), are left out.
 */
function close(socket: Closable, code: number, reason: string): void {
  try {
    if (code === LOST) socket.close(INTERNAL_ERROR, "the other side is lost");
    else if (isSendable(code)) socket.close(code, reason);
    else socket.close();
  } catch {
    // The runtime refuses codes that it doesn't know.
    socket.close();
  }
}

/** Tells whether an endpoint may send a close code (RFC 6455, section 7.4). */
function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

function namesIn(list: string): string[] {
  return list.split(",").map((name) => name.trim()).filter((name) => name !== "");
}
