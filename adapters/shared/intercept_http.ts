/**
 * Makes a mock server answer the requests that are sent by `node:http` and `node:https`. Each request gets a connection
 * in memory to an HTTP server that doesn't listen on a port.
 *
 * @module
 */
import { Agent, type ClientRequest, createServer, type RequestOptions } from "node:http";
import type { MockServer } from "../../mod.ts";
import { createListener } from "../node.ts";
import { type Others, refusal } from "./others.ts";
import { createSocketPair } from "./socket_pair.ts";

/**
 * The method of `Agent` that gives a request its connection. Node.js doesn't document it, but the package `agent-base`
 * overrides it, too.
 */
const ADD_REQUEST = "addRequest";

/**
 * Begins to answer the requests of `node:http` and `node:https`.
 *
 * @returns A function that ends the interception.
 */
export function interceptHttp(mock: MockServer, others: Others): () => void {
  const server = createServer(createListener(mock));
  const addRequest: unknown = Reflect.get(Agent.prototype, ADD_REQUEST);
  if (typeof addRequest !== "function") throw new Error(`This runtime's agents of node:http have no ${ADD_REQUEST}().`);
  Reflect.set(
    Agent.prototype,
    ADD_REQUEST,
    function (this: Agent, request: ClientRequest, options: RequestOptions): void {
      const scoped = { method: request.method, url: urlOf(request, options), headers: new Headers() };
      const isAnswered = mock.scopeOf(scoped) !== "none";
      if (!isAnswered && others === "pass") return Reflect.apply(addRequest, this, [request, options]);
      const [client, served] = createSocketPair(request.protocol === "https:");
      request.shouldKeepAlive = false;
      request.onSocket(client);
      // A refused connection isn't given to the server. Without a listener here, its error event would end the process.
      served.on("error", () => {});
      if (isAnswered) server.emit("connection", served);
      else client.destroy(new TypeError(refusal(scoped)));
    },
  );
  return () => {
    Reflect.set(Agent.prototype, ADD_REQUEST, addRequest);
  };
}

/**
 * The URL of a request. Host and port are those of the header `Host`, which may differ from the address of the
 * connection.
 */
function urlOf(request: ClientRequest, { port }: RequestOptions): string {
  const host = request.getHeader("host") ?? `${request.host}${port === undefined || port === null ? "" : `:${port}`}`;
  // A request through an HTTP proxy has a whole URL as its target.
  return /^https?:/i.test(request.path) ? request.path : `${request.protocol}//${host}${request.path}`;
}
