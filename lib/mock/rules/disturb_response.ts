import type { Bytes } from "../../http/handler.ts";
import type { Fault } from "../../openapi/extension/rule.ts";
import { MOST_DELAY } from "./delay.ts";

/** The functions of the environment that delays and faults need. */
export interface Disturbance {
  /** Waits for a time, or until the signal aborts. Never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * Breaks the connection of the request: resets it, or closes it without an answer. An environment that can't break
   * connections returns the response instead.
   */
  readonly drop: (kind: "reset" | "empty", response: Response) => Promise<Response>;
}

/** Milliseconds between the chunks of a slow body. */
const TICK = 100;

interface Disturbed {
  /** Milliseconds. Default: 0. */
  readonly delay?: number | undefined;
  readonly fault?: Fault | undefined;
}

/** Whether a response is delayed, or a fault makes sending it fail. */
export function isDisturbed({ delay = 0, fault }: Disturbed): boolean {
  return delay > 0 || fault !== undefined;
}

/** Applies a rule's delay and fault to a response, once the response is ready. */
export async function disturbResponse(
  response: Response,
  signal: AbortSignal,
  { delay = 0, fault }: Disturbed,
  world: Disturbance,
): Promise<Response> {
  if (delay > 0) await world.sleep(delay, signal);
  // A fault has no effect after the client has disconnected.
  if (fault === undefined || signal.aborted) return response;
  return await applyFault(response, signal, fault, world);
}

async function applyFault(
  response: Response,
  signal: AbortSignal,
  fault: Fault,
  world: Disturbance,
): Promise<Response> {
  switch (fault.kind) {
    case "reset":
    case "empty":
      return await world.drop(fault.kind, cutResponse(response));
    case "time-out":
      await world.sleep(MOST_DELAY, signal);
      return signal.aborted ? response : await world.drop("empty", cutResponse(response));
    case "truncated": {
      const body = new Uint8Array(await response.arrayBuffer());
      // An empty body can't be truncated, so the connection is broken instead.
      if (body.length === 0) return await world.drop("empty", cutResponse(response));
      const most = Math.min(fault.bytes ?? Math.floor(body.length / 2), body.length - 1);
      return truncatedResponse(response, body.subarray(0, most), body.length);
    }
    case "slow":
      return await slowResponse(response, fault.rate, signal, world.sleep);
  }
}

/**
 * A response with `Content-Length: 1` and an empty body, for a server that can't break the connection before the
 * headers. It closes the connection at the end of this body.
 */
function cutResponse(response: Response): Response {
  return truncatedResponse(response, new Uint8Array(), 1);
}

function truncatedResponse({ status, headers }: Response, start: Bytes, length: number): Response {
  const body = new ReadableStream<Bytes>({
    pull(controller) {
      if (start.length > 0) controller.enqueue(start);
      controller.close();
    },
  });
  return new Response(body, { status, headers: withLength(headers, length) });
}

/** Limit of a rate, in bytes per second. Of a number near the largest, the size of a chunk would be infinite. */
const FASTEST = 1e15;

/**
 * A response whose body is sent at a rate.
 *
 * @param wanted The bytes per second.
 */
export async function slowResponse(
  response: Response,
  wanted: number,
  signal: AbortSignal,
  sleep: Disturbance["sleep"],
): Promise<Response> {
  const rate = Math.min(wanted, FASTEST);
  const { status, headers } = response;
  const body = new Uint8Array(await response.arrayBuffer());
  if (body.length === 0) return new Response(null, { status, headers });
  const size = Math.max(1, Math.round(rate * TICK / 1000));
  const pause = Math.min(size * 1000 / rate, MOST_DELAY);
  let sent = 0;
  const stream = new ReadableStream<Bytes>({
    async pull(controller) {
      await sleep(pause, signal);
      // `enqueue` throws if the client has cancelled the stream, which is then at its end.
      controller.enqueue(body.slice(sent, sent += size));
      if (sent >= body.length || signal.aborted) controller.close();
    },
  });
  return new Response(stream, { status, headers: withLength(headers, body.length) });
}

function withLength(headers: Headers, length: number): Headers {
  const written = new Headers(headers);
  written.set("content-length", String(length));
  return written;
}
