/**
 * The place where a request of `node:http` gets its connection. Node.js has no documented one for all requests: agents
 * of packages such as `agent-base` have methods of their own, and a request with the option `createConnection` has no
 * agent.
 *
 * @module
 */
import { type AgentOptions, ClientRequest, type RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** An agent, as far as `ClientRequest` uses it. */
export interface RequestAgent {
  readonly options?: AgentOptions;
  addRequest(request: ClientRequest, options: RequestOptions): void;
}

/** Gives a request its connection. Without an agent, the request has the option `createConnection`. */
export type Connect = (request: ClientRequest, agent: RequestAgent | undefined, options: RequestOptions) => void;

/** The key in `ClientRequest.prototype` of the function that connects all requests. */
export const CONNECT: unique symbol = Symbol.for("openapi-gw.connect");

/** The agents of requests that are being constructed. */
const agents = new WeakMap<ClientRequest, RequestAgent | undefined>();

/**
 * From now on, requests get their connections from the function at {@linkcode CONNECT}, which can be replaced. By
 * itself, it does what `ClientRequest` would do.
 *
 * The constructor of `ClientRequest` assigns its property `agent`, and at its end calls the method `addRequest` of that
 * agent. So an accessor of that name, in the prototype, can put another agent there during the construction.
 */
export function interceptConnections(): void {
  if (Object.hasOwn(ClientRequest.prototype, CONNECT)) return;
  Object.defineProperty(ClientRequest.prototype, CONNECT, { value: connect, writable: true, configurable: true });
  Object.defineProperty(ClientRequest.prototype, "agent", {
    configurable: true,
    get(this: ClientRequest): RequestAgent | undefined {
      return agents.has(this) ? standIn(agents.get(this)) : undefined;
    },
    set(this: ClientRequest, agent: RequestAgent | undefined) {
      agents.set(this, agent);
    },
  });
}

/** An agent that looks like another one, and connects a request by {@linkcode CONNECT}. */
function standIn(agent: RequestAgent | undefined): RequestAgent {
  const addRequest: RequestAgent["addRequest"] = (request, options) => {
    agents.delete(request);
    Object.defineProperty(request, "agent", { value: agent, writable: true, configurable: true, enumerable: true });
    const connect: Connect = Reflect.get(ClientRequest.prototype, CONNECT);
    connect(request, agent, options);
  };
  // Without an agent, these options of the request still count.
  if (agent === undefined) return { addRequest };
  return new Proxy(agent, {
    get: (target, key) => key === "addRequest" ? addRequest : Reflect.get(target, key),
  });
}

function connect(request: ClientRequest, agent: RequestAgent | undefined, options: RequestOptions): void {
  if (agent !== undefined) return agent.addRequest(request, options);
  const { createConnection } = options;
  if (createConnection === undefined) return;
  let isDone = false;
  const done = (error: Error | null, socket?: Duplex | null): void => {
    if (isDone) return;
    isDone = true;
    if (error) queueMicrotask(() => request.emit("error", error));
    // The type of requests demands a `Socket`, but `node:http` accepts any duplex stream, as its documentation says.
    else if (socket) request.onSocket(socket as Socket);
  };
  const socket = createConnection(options, done);
  if (socket) done(null, socket);
}
