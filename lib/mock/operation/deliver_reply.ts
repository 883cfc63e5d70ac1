import type { Bytes } from "../../http/handler.ts";
import type { Reply } from "./reply.ts";
import { type Disturbance, slowResponse } from "../rules/disturb_response.ts";

/** The key of the function of a request's adapter that waits. Adapters use this registered symbol by its name. */
const SLEEP = Symbol.for("openapi-gw.sleep");

/** Thrown in place of a response if a rule breaks the connection. */
export class BrokenConnectionError extends TypeError {
  /** The name of the class. */
  override readonly name = "BrokenConnectionError";
  /** Whether the connection was reset, or closed without a response. */
  readonly fault: "reset" | "empty";

  /** Mock servers make this error; clients only catch it. */
  constructor(fault: "reset" | "empty") {
    super(`The connection was ${fault === "reset" ? "reset" : "closed without a response"}, as a rule demands.`);
    this.fault = fault;
  }
}

/**
 * Returns the response of a reply, for a caller without a network connection. A fault that breaks the connection
 * throws, as `fetch` does.
 *
 * @param sleep Waits for delays and slow bodies. Default: that of the adapter that made the request; without one, they
 * are ignored.
 * @throws {BrokenConnectionError} If the fault lets no response through.
 */
export async function deliverReply(
  request: Request,
  { response, delay = 0, fault }: Reply,
  sleep: Disturbance["sleep"] | undefined = Reflect.get(request, SLEEP),
): Promise<Response> {
  const { signal } = request;
  if (delay > 0 && sleep !== undefined) {
    await sleep(delay, signal);
    signal.throwIfAborted();
  }
  switch (fault?.kind) {
    case undefined:
      return response;
    case "slow":
      return sleep === undefined ? response : await slowResponse(response, fault.rate, signal, sleep);
    case "reset":
    case "empty":
      throw new BrokenConnectionError(fault.kind);
    case "time-out":
      return await rejectOnAbort(signal);
    case "truncated":
      return truncated(response, fault.bytes);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * A response whose body fails after a number of bytes, which is less than its length. Default: half of its length.
 *
 * @throws {BrokenConnectionError} If the body is empty: it can't be truncated.
 */
async function truncated(response: Response, bytes: number | undefined): Promise<Response> {
  const { status, headers } = response;
  const whole: Bytes = new Uint8Array(await response.arrayBuffer());
  if (whole.length === 0) throw new BrokenConnectionError("empty");
  const part = whole.subarray(0, Math.min(bytes ?? Math.floor(whole.length / 2), whole.length - 1));
  let isSent = false;
  const body = new ReadableStream<Bytes>({
    pull(controller) {
      if (isSent || part.length === 0) controller.error(new TypeError("The body was broken off, as a rule demands."));
      else controller.enqueue(part);
      isSent = true;
    },
  });
  return new Response(body, { status, headers });
}
