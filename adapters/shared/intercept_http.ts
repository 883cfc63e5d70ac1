/**
 * Has a mock server answer the requests of `node:http` and `node:https`: each gets a connection in memory to an HTTP
 * server that doesn't listen.
 *
 * @module
 */
import { Agent, type ClientRequest, createServer, type RequestOptions } from "node:http";
import type { MockServer } from "../../mod.ts";
import { createListener } from "../node.ts";
import { type Others, refusal } from "./others.ts";
import { createSocketPair } from "./socket_pair.ts";

/** The method by which agents give requests their connections. Node.js doesn't declare it; `agent-base` replaces it too. */
const METHOD = "addRequest";

/**
 * Begins to answer requests.
 *
 * @returns The function that ends it.
 */
export function interceptHttp(mock: MockServer, others: Others): () => void {
  const server = createServer(createListener(mock));
  const addRequest: unknown = Reflect.get(Agent.prototype, METHOD);
  if (typeof addRequest !== "function") throw new Error(`This runtime's agents of node:http have no ${METHOD}().`);
  Reflect.set(Agent.prototype, METHOD, function (this: Agent, request: ClientRequest, options: RequestOptions): void {
    const scoped = { method: request.method, url: urlOf(request, options), headers: new Headers() };
    const isAnswered = mock.scopeOf(scoped) !== "none";
    if (!isAnswered && others === "pass") return Reflect.apply(addRequest, this, [request, options]);
    const [client, served] = createSocketPair(request.protocol === "https:");
    request.shouldKeepAlive = false;
    request.onSocket(client);
    // If the request is refused, the server doesn't get the connection, and without this listener an error of the
    // connection would end the process.
    served.on("error", () => {});
    if (isAnswered) server.emit("connection", served);
    else client.destroy(new TypeError(refusal(scoped)));
  });
  return () => {
    Reflect.set(Agent.prototype, METHOD, addRequest);
  };
}

/** The URL of a request. The port is in the header `Host`, which names the server that is meant. */
function urlOf(request: ClientRequest, { port }: RequestOptions): string {
  const host = request.getHeader("host") ?? `${request.host}${port === undefined || port === null ? "" : `:${port}`}`;
  // With an HTTP proxy, the target is a URL.
  return /^https?:/i.test(request.path) ? request.path : `${request.protocol}//${host}${request.path}`;
}
