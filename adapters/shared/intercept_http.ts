/**
 * Makes a mock server answer the requests that are sent by `node:http` and `node:https`. Each request gets a connection
 * in memory to an HTTP server that doesn't listen on a port.
 *
 * @module
 */
import { Agent, type AgentOptions, type ClientRequest, createServer, type RequestOptions } from "node:http";
import type { MockServer } from "../../mod.ts";
import { createListener } from "../node.ts";
import { type Others, refusal } from "./others.ts";
import { replaceFunction } from "./replace_function.ts";
import { createSocketPair } from "./socket_pair.ts";

/**
 * The method of `Agent` that gives a request its connection. Node.js doesn't document it, but the package `agent-base`
 * overrides it, too.
 */
const ADD_REQUEST = "addRequest";

type AddRequest = (
  this: Agent & { readonly options: AgentOptions },
  request: ClientRequest,
  options: RequestOptions,
) => void;

/**
 * Begins to answer the requests of `node:http` and `node:https`.
 *
 * @returns A function that ends the interception.
 */
export function interceptHttp(mock: MockServer, others: Others): () => void {
  if (typeof Reflect.get(Agent.prototype, ADD_REQUEST) !== "function") {
    throw new Error(`This runtime's agents of node:http have no ${ADD_REQUEST}().`);
  }
  const server = createServer(createListener(mock));
  return replaceFunction(
    Agent.prototype,
    ADD_REQUEST,
    (addRequest: AddRequest, hasEnded): AddRequest =>
      function (request, options) {
        if (hasEnded()) return Reflect.apply(addRequest, this, [request, options]);
        const scoped = { method: request.method, url: urlOf(request, options), headers: new Headers() };
        // A request to a Unix socket, or with a target such as `*`, isn't for the API.
        const isForUrl = !options.socketPath && /^(?:\/|https?:)/i.test(request.path) && URL.canParse(scoped.url);
        const isAnswered = isForUrl && mock.scopeOf(scoped) !== "none";
        if (!isAnswered && others === "pass") return Reflect.apply(addRequest, this, [request, options]);
        const [client, served] = createSocketPair(request.protocol === "https:");
        request.shouldKeepAlive = false;
        request.onSocket(client);
        client.setTimeout(options.timeout ?? this.options.timeout ?? 0);
        // Node.js gives a connection that it no longer needs back to the agent by this event.
        client.once("free", () => client.destroy());
        // A refused connection isn't given to the server. Without a listener here, its error event would end the process.
        served.on("error", () => {});
        if (isAnswered) server.emit("connection", served);
        else client.destroy(new TypeError(refusal(scoped)));
      },
  );
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
