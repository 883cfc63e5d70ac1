import type { Bytes } from "../../http/handler.ts";
import type { Fault } from "./rule.ts";
import { MOST_DELAY } from "./delay.ts";

/** The functions of the environment that delays and faults need. */
export interface Disturbance {
  /** Waits so many milliseconds, or until the signal aborts; never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * Breaks the connection of the request: resets it, or closes it without an answer. Where it can't, the response is
   * sent.
   */
  readonly drop: (kind: "reset" | "empty", response: Response) => Promise<Response>;
}

/** The milliseconds between the parts of a slow body. */
const TICK = 100;

/** The delay and the fault of a response. */
interface Disturbed {
  /** Milliseconds. Default: 0. */
  readonly delay?: number | undefined;
  readonly fault?: Fault | undefined;
}

/** Whether a rule delays a response, or lets its sending fail. */
export function isDisturbed({ delay = 0, fault }: Disturbed): boolean {
  return delay > 0 || fault !== undefined;
}

/** Carries out the delay and the fault that rules decide for a response. They begin when the response is known. */
export async function disturbResponse(
  response: Response,
  signal: AbortSignal,
  { delay = 0, fault }: Disturbed,
  world: Disturbance,
): Promise<Response> {
  if (delay > 0) await world.sleep(delay, signal);
  // Nobody waits for the rest when the client has gone.
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
      // A response without a body can only end before its end by having no end.
      if (body.length === 0) return await world.drop("empty", cutResponse(response));
      const most = Math.min(fault.bytes ?? Math.floor(body.length / 2), body.length - 1);
      return truncatedResponse(response, body.subarray(0, most), body.length);
    }
    case "slow": {
      const body = new Uint8Array(await response.arrayBuffer());
      return slowResponse(response, body, { rate: fault.rate, signal, sleep: world.sleep });
    }
  }
}

/**
 * A response whose body ends before the length that its header tells: servers then close the connection. It stands for
 * a connection that can't be broken earlier.
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

/** A response whose body is sent in parts, so many bytes in each second. */
function slowResponse(
  { status, headers }: Response,
  body: Bytes,
  { rate, signal, sleep }: { rate: number; signal: AbortSignal; sleep: Disturbance["sleep"] },
): Response {
  if (body.length === 0) return new Response(null, { status, headers });
  const size = Math.max(1, Math.round(rate * TICK / 1000));
  const pause = size * 1000 / rate;
  let sent = 0;
  const stream = new ReadableStream<Bytes>({
    async pull(controller) {
      await sleep(pause, signal);
      // Throws once the stream is cancelled, which ends it as well.
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
