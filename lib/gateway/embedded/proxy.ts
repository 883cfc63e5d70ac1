/**
 * Forwards requests to upstreams. Bodies are streamed in both directions.
 *
 * @module
 */
import { returnedResponse } from "../../http/forward.ts";
import type { Bytes } from "../../http/handler.ts";
import { timerOf } from "../../http/timer.ts";
import { failureOf, LONGEST_SILENCE, type UpstreamOutcome, type UpstreamTimeouts } from "../../http/url/upstream.ts";
import type { ExtensionSettings } from "../../openapi/extension/settings.ts";
import type { PlannedUpstream } from "../route.ts";
import type { GatewayPlatform } from "./platform.ts";
import {
  problemReply,
  type Reply,
  type RequestContext,
  type RequestHandler,
  upstreamReply,
} from "./request_context.ts";
import { createRewrite } from "./rewrite.ts";
import {
  createWeightedChoice,
  getsClientHost,
  mayRetry,
  originOf,
  unknownService,
  upstreamHeaders,
  type UpstreamOrigin,
  withHostOf,
} from "./upstream.ts";
import { isWebSocketRequest, passWebSocket } from "./websocket.ts";

/** The pause before a second attempt, and the longest one, in milliseconds, as in Envoy. The pauses double. */
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 250;

/** An upstream with its settings prepared: its origin, and the function that rewrites paths. */
interface Destination {
  readonly weight: number;
  readonly origin: UpstreamOrigin;
  readonly rewrite: ReturnType<typeof createRewrite> | undefined;
  /** Whether the upstream gets the `Host` of the client's request. */
  readonly getsClientHost: boolean;
}

/**
 * Creates a handler that forwards each request to one of several upstreams, chosen at random by weight. It replies 502
 * if the upstream can't be reached, 504 if it doesn't answer in time, and 503 if the URL of its service isn't known.
 *
 * @param namespace Namespace of a service whose setting names no namespace.
 */
export function createProxy(
  upstreams: readonly PlannedUpstream[],
  { qos = {}, websocket = false }: ExtensionSettings,
  namespace: string,
  platform: GatewayPlatform,
): RequestHandler {
  const { retries = 0 } = qos;
  const idleTimeout = qos.idle_timeout === undefined ? LONGEST_SILENCE : timerOf(qos.idle_timeout * 1000);
  const requestTimeout = timerOf((qos.request_timeout ?? 0) * 1000);
  const timeouts: UpstreamTimeouts = { headTimeout: requestTimeout, idleTimeout };
  const destinations = upstreams.map((upstream): Destination => {
    const origin = originOf(upstream, namespace, platform);
    const rewrite = upstream.rewrite && createRewrite(upstream.rewrite);
    return { weight: upstream.weight, origin, rewrite, getsClientHost: getsClientHost(upstream, origin) };
  });
  const choose = createWeightedChoice(destinations, platform.random);

  return async (context) => {
    const { request } = context;
    const { method, signal } = request;
    const ownHeaders = upstreamHeaders(context);
    const isWebSocket = websocket && isWebSocketRequest(request);
    const bodyOf = bodiesOf(context, retries);
    const deadline = platform.now() + requestTimeout;
    let body = bodyOf();
    let headTimeout = timeouts.headTimeout;
    for (let attempt = 1;; attempt++) {
      const destination = choose();
      if (destination === undefined) return unavailable("The definition names no upstream for this request.");
      if (destination.origin.kind === "unknown") return unavailable(unknownService(destination.origin.service));
      const { base } = destination.origin;
      const target = targetOf(context, destination);
      if (target === undefined) return uriTooLong();
      const url = base + target;
      const headers = destination.getsClientHost ? withHostOf(request, ownHeaders) : ownHeaders;
      if (isWebSocket) {
        return await passWebSocket(request, url, headers, requestTimeout || idleTimeout, platform, context.client);
      }
      const limits = { headTimeout, idleTimeout };
      const outcome = await platform.send(url, { method, headers, body: body ?? null, signal, ...limits });
      body = attempt <= retries && mayRetry(method, outcome) ? bodyOf() : undefined;
      if (body === undefined) return replyOf(outcome, base, timeouts);
      if (outcome.kind === "answered") await outcome.response.body?.cancel();
      await platform.wait?.(
        platform.random() * Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE),
        signal,
      );
      if (requestTimeout > 0) {
        const left = deadline - platform.now();
        if (left <= 0) return replyOf({ kind: "timeout" }, base, timeouts);
        headTimeout = left;
      }
    }
  };
}

function replyOf(outcome: UpstreamOutcome, base: string, timeouts: UpstreamTimeouts): Reply {
  if (outcome.kind === "answered") return upstreamReply(returnedResponse(outcome.response));
  const { problem, reason } = failureOf(outcome, timeouts);
  const reply = problemReply(problem, outcome.kind === "silence" ? [["connection", "close"]] : []);
  return { ...reply, detail: `${base}: ${reason}` };
}

/**
 * Creates a function that returns the body for each attempt to send a request; `undefined` if the body can't be sent
 * again.
 */
function bodiesOf({ request, body }: RequestContext, retries: number): () => RequestContext["body"] | Request["body"] {
  if (body !== undefined) return () => body;
  // Without retries, the stream is forwarded as it is: buffering would cost time.
  if (retries === 0 || request.body === null) return () => request.body;
  const replayable = new ReplayableBody(request.body);
  return () => replayable.stream();
}

function targetOf({ target: { path, query } }: RequestContext, { rewrite }: Destination): string | undefined {
  if (rewrite !== undefined) return rewrite(path, query);
  return query === "" ? path : `${path}?${query}`;
}

function uriTooLong(): Reply {
  const detail = "The path is too long to be rewritten by `x-svc.upstream.rewrite`.";
  return problemReply({ title: "URI Too Long", status: 414, detail });
}

function unavailable(detail: string): Reply {
  return problemReply({ title: "Service Unavailable", status: 503, detail });
}

/** The most bytes of a request's body that are buffered for a retry. */
const MOST_KEPT = 256 * 1024;

/** A body that can be sent again until more than {@linkcode MOST_KEPT} bytes of it have been read. */
class ReplayableBody {
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  readonly #kept: Bytes[] = [];
  #length = 0;
  #reading: Promise<boolean> | undefined;

  constructor(body: ReadableStream<Bytes>) {
    this.#reader = body.getReader();
  }

  /**
   * Returns the body from its start; `undefined` if its start is no longer buffered. Earlier streams must not be read
   * any more.
   */
  stream(): ReadableStream<Bytes> | undefined {
    if (this.#length > MOST_KEPT) return undefined;
    let next = 0;
    return new ReadableStream({
      pull: async (controller) => {
        // An earlier stream may be reading this chunk already. Both then await one read, because the body can be read
        // only once.
        const isThere = next < this.#kept.length || await (this.#reading ??= this.#read());
        const chunk = this.#kept[next];
        if (!isThere || chunk === undefined) return controller.close();
        next++;
        controller.enqueue(chunk);
        if (this.#length > MOST_KEPT) next -= this.#kept.splice(0, next).length;
      },
    }, { highWaterMark: 0 });
  }

  /** Reads a chunk and buffers it. Returns `false` at the end of the body. */
  async #read(): Promise<boolean> {
    try {
      const { done, value } = await this.#reader.read();
      if (done) return false;
      this.#length += value.byteLength;
      this.#kept.push(value);
      return true;
    } finally {
      this.#reading = undefined;
    }
  }
}
