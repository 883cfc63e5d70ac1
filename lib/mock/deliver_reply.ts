import type { Bytes } from "../http/handler.ts";
import type { Reply } from "./reply.ts";

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
 * throws, as `fetch` does. Delays and slow bodies are ignored, since they would need a clock.
 *
 * @throws {BrokenConnectionError} If the fault lets no response through.
 */
export async function deliverReply({ signal }: Request, { response, fault }: Reply): Promise<Response> {
  switch (fault?.kind) {
    case undefined:
    case "slow":
      return response;
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
