/**
 * Makes a mock server answer the requests that are sent by `node:http` and `node:https`. Each request gets a connection
 * in memory to an HTTP server that doesn't listen on a port.
 *
 * @module
 */
import { ClientRequest, createServer, type RequestOptions } from "node:http";
import type { MockServer } from "../../mod.ts";
import { createListener } from "../node.ts";
import { CONNECT, type Connect, interceptConnections } from "./client_connection.ts";
import { type Others, refusal } from "./others.ts";
import { replaceFunction } from "./replace_function.ts";
import { createSocketPair } from "./socket_pair.ts";

/**
 * Begins to answer the requests of `node:http` and `node:https`, whichever agent they have.
 *
 * @returns A function that ends the interception.
 */
export function interceptHttp(mock: MockServer, others: Others): () => void {
  interceptConnections();
  const server = createServer(createListener(mock));
  return replaceFunction(ClientRequest.prototype, CONNECT, (connect: Connect, hasEnded): Connect => {
    return (request, agent, options) => {
      if (hasEnded()) return connect(request, agent, options);
      const scoped = {
        method: request.method,
        url: urlOf(request, agent !== undefined, options),
        headers: new Headers(),
      };
      // A request to a Unix socket, or with a target such as `*`, isn't for the API.
      const isForUrl = !options.socketPath && /^(?:\/|https?:)/i.test(request.path) && URL.canParse(scoped.url);
      const isAnswered = isForUrl && mock.scopeOf(scoped) !== "none";
      if (!isAnswered && others === "pass") return connect(request, agent, options);
      const [client, served] = createSocketPair(request.protocol === "https:");
      request.shouldKeepAlive = false;
      request.onSocket(client);
      client.setTimeout(options.timeout ?? agent?.options?.timeout ?? 0);
      // Node.js gives a connection that it no longer needs back to the agent by this event.
      client.once("free", () => client.destroy());
      // A refused connection isn't given to the server. Without a listener here, its error event would end the process.
      served.on("error", () => {});
      if (isAnswered) server.emit("connection", served);
      else client.destroy(new TypeError(refusal(scoped)));
    };
  });
}

/**
 * The URL of a request. Host and port are those of the header `Host`, which may differ from the address of the
 * connection.
 */
function urlOf(request: ClientRequest, hasAgent: boolean, { port }: RequestOptions): string {
  const written = request.getHeader("host") ??
    `${request.host}${port === undefined || port === null ? "" : `:${port}`}`;
  // Node.js takes port 80 for a request of HTTPS that has no agent and names no port.
  const host = !hasAgent && request.protocol === "https:" ? String(written).replace(/:80$/, "") : written;
  // A request through an HTTP proxy has a whole URL as its target.
  return /^https?:/i.test(request.path) ? request.path : `${request.protocol}//${host}${request.path}`;
}
