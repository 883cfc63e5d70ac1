import type { Disturbance } from "../../lib/mock/rules/disturb_response.ts";
import { type ConnectionBreaker, createConnectionBreaker } from "./socket.ts";

/** The connection of a request. */
export interface Connection {
  /** Resolves when the response was sent; rejects when it can't be. */
  readonly completed: Promise<void>;
  /** The client's address; absent where the transport has none. */
  readonly remoteAddr?: { readonly hostname: string; readonly port: number } | undefined;
}

/** Makes the functions by which the delay and the fault of one response are carried out. */
export type DisturbanceMaker = (request: Request, connection: Connection) => Disturbance;

/**
 * Makes the functions for the requests of a listener.
 *
 * @param port Gives the port of the listener. Without it, a client whose port has two connections to this process
 * keeps both.
 */
export function createDisturbances(port: () => number | undefined = () => undefined): DisturbanceMaker {
  // Loaded at the first fault that breaks a connection.
  let breaker: ConnectionBreaker | null | undefined;
  return (request, { remoteAddr: client, completed }) => {
    // A response that a rule breaks off isn't sent successfully, which is no error.
    completed.catch(() => {});
    return { sleep, drop };

    async function drop(how: "reset" | "empty", response: Response): Promise<Response> {
      // A request without a host header may be one of HTTP/2, whose connection other requests share: only its response
      // is cut off.
      if (client === undefined || !request.headers.has("host")) return response;
      breaker ??= createConnectionBreaker() ?? null;
      await breaker?.breakConnection({ client, port: port() }, how, () => request.signal.aborted);
      return response;
    }
  };
}

/** Waits so many milliseconds, or until the signal aborts. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });

    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
