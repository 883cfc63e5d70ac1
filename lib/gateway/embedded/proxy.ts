/**
 * Sends requests on to upstreams and their answers back, both as streams.
 *
 * @module
 */
import { returnedResponse } from "../../http/forward.ts";
import { failureOf, type UpstreamOutcome } from "../../http/upstream.ts";
import type { ExtensionSettings } from "../../openapi/extension/settings.ts";
import { type Act, type Exchange, problemReply, type Reply, upstreamReply } from "./request_context.ts";
import { mayRetry } from "./upstream.ts";
import { createRewrite } from "./rewrite.ts";
import type { PlannedUpstream } from "../route.ts";
import { type Origin, originOf, unknownService } from "./upstream.ts";
import { upstreamHeaders } from "./upstream.ts";
import { isWebSocketRequest, passWebSocket } from "./websocket.ts";
import { createWeightedChoice } from "./upstream.ts";
import type { GatewayPlatform } from "./platform.ts";
import type { Bytes } from "../../http/handler.ts";

/** How long an upstream may take to begin its answer where nothing is said, in seconds. */
const REQUEST_TIMEOUT = 60;

/** An upstream, and how to ask it. */
interface Destination {
  readonly weight: number;
  readonly origin: Origin;
  readonly rewrite: ReturnType<typeof createRewrite> | undefined;
}

/**
 * Makes what sends requests to one of some upstreams: 502 when it can't be reached, 504 when it doesn't answer in time,
 * 503 when nobody knows where it is.
 *
 * @param namespace Namespace of services that don't have their own.
 */
export function createProxy(
  upstreams: readonly PlannedUpstream[],
  { qos = {}, websocket = false }: ExtensionSettings,
  namespace: string,
  platform: GatewayPlatform,
): Act {
  const { retries = 0 } = qos;
  const headTimeout = (qos.request_timeout ?? REQUEST_TIMEOUT) * 1000;
  const idleTimeout = (qos.idle_timeout ?? 0) * 1000;
  const destinations = upstreams.map((upstream): Destination => ({
    weight: upstream.weight,
    origin: originOf(upstream, namespace, platform),
    rewrite: upstream.rewrite && createRewrite(upstream.rewrite),
  }));
  const choose = createWeightedChoice(destinations, platform.random);
  return send;

  async function send(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    const headers = upstreamHeaders(exchange);
    const isWebSocket = websocket && isWebSocketRequest(request);
    const bodyOf = bodiesOf(exchange, retries);
    const { method, signal } = request;
    let body = bodyOf();
    for (let further = retries;; further--) {
      const destination = choose();
      if (destination === undefined) return unavailable("The definition names no upstream for this request.");
      if (destination.origin.kind === "unknown") return unavailable(unknownService(destination.origin.service));
      const { base } = destination.origin;
      const target = targetOf(exchange, destination);
      if (target === undefined) return tooLong();
      const url = base + target;
      if (isWebSocket) return await passWebSocket(request, url, headers, headTimeout, platform);
      const outcome = await platform.send(url, {
        method,
        headers,
        body: body ?? null,
        headTimeout,
        idleTimeout,
        signal,
      });
      body = further > 0 && mayRetry(method, outcome) ? bodyOf() : undefined;
      if (body === undefined) return conclude(outcome, base);
      if (outcome.kind === "answered") await outcome.response.body?.cancel();
    }
  }

  function conclude(outcome: UpstreamOutcome, base: string): Reply {
    if (outcome.kind === "answered") return upstreamReply(returnedResponse(outcome.response));
    const { problem, reason } = failureOf(outcome, { headTimeout, idleTimeout });
    const reply = problemReply(problem, outcome.kind === "silence" ? [["connection", "close"]] : []);
    return { ...reply, detail: `${base}: ${reason}` };
  }
}

/** Gives the body for one attempt after the other; `undefined` when it can't be sent once more. */
function bodiesOf({ request, body }: Exchange, retries: number): () => Exchange["body"] | Request["body"] {
  if (body !== undefined) return () => body;
  // A stream that is passed on as it is costs least, and can't be sent again.
  if (retries === 0 || request.body === null) return () => request.body;
  return createReplay(request.body).stream;
}

function targetOf({ target: { path, query } }: Exchange, { rewrite }: Destination): string | undefined {
  if (rewrite !== undefined) return rewrite(path, query);
  return query === "" ? path : `${path}?${query}`;
}

function tooLong(): Reply {
  const detail = "The path is too long to be rewritten by `x-svc.upstream.rewrite`.";
  return problemReply({ title: "URI Too Long", status: 414, detail });
}

function unavailable(detail: string): Reply {
  return problemReply({ title: "Service Unavailable", status: 503, detail });
}

/** A body that may have to be sent more than once. */
export interface Replay {
  /** The body from its start; the stream given before isn't read any more. `undefined` when its start is no longer kept. */
  stream(): ReadableStream<Bytes> | undefined;
}

/** Bytes of a body that are kept. */
const MOST_KEPT = 256 * 1024;

/** Keeps the start of a body while it is read, so that it can be sent again as long as little of it has been sent. */
export function createReplay(body: ReadableStream<Bytes>): Replay {
  const reader = body.getReader();
  const kept: Bytes[] = [];
  let length = 0;
  let reading: Promise<boolean> | undefined;
  return { stream };

  function stream(): ReadableStream<Bytes> | undefined {
    if (length > MOST_KEPT) return undefined;
    let next = 0;
    return new ReadableStream({
      async pull(controller) {
        // A stream that was given up may still wait for a chunk, which belongs to its successor.
        const isThere = next < kept.length || await (reading ??= read());
        const chunk = kept[next];
        if (!isThere || chunk === undefined) return controller.close();
        next++;
        controller.enqueue(chunk);
        if (length > MOST_KEPT) next -= kept.splice(0, next).length;
      },
    }, { highWaterMark: 0 });
  }

  /** Reads a chunk and keeps it; gives `false` at the end of the body. */
  async function read(): Promise<boolean> {
    try {
      const { done, value } = await reader.read();
      if (done) return false;
      length += value.byteLength;
      kept.push(value);
      return true;
    } finally {
      reading = undefined;
    }
  }
}
