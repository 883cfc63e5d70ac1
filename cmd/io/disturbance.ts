import type { Disturbance } from "../../lib/mock/rules/disturb_response.ts";
import { sleep } from "./sleep.ts";
import { type ConnectionBreaker, createConnectionBreaker } from "./socket.ts";

/** The connection on which a request arrived. */
export interface Connection {
  /** Resolves after the response was sent; rejects if it can't be sent. */
  readonly completed: Promise<void>;
  /** The client's address; absent if the transport doesn't know it. */
  readonly remoteAddr?: { readonly hostname: string; readonly port: number } | undefined;
}

/** Makes the functions that carry out the delay and the fault of one response. */
export type DisturbanceMaker = (request: Request, connection: Connection) => Disturbance;

/**
 * Makes the functions that carry out delays and faults for the responses of one listener.
 *
 * @param port Returns the port of the listener. If it is unknown, and two connections to this process have the same
 * client port, neither is broken.
 */
export function createDisturbances(port: () => number | undefined = () => undefined): DisturbanceMaker {
  // Loaded when a connection is broken for the first time: loading the C library takes time.
  let breaker: ConnectionBreaker | null | undefined;
  return (request, { remoteAddr: client, completed }) => {
    // `completed` rejects if a rule truncates the response, which is intended.
    completed.catch(() => {});
    return { sleep, drop };

    async function drop(how: "reset" | "empty", response: Response): Promise<Response> {
      // A request without `Host` may be an HTTP/2 request. Breaking its connection would break other requests too, so
      // only this response is cut off.
      if (client === undefined || !request.headers.has("host")) return response;
      breaker ??= createConnectionBreaker() ?? null;
      await breaker?.breakConnection({ client, port: port() }, how, () => request.signal.aborted);
      return response;
    }
  };
}
