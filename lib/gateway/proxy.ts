/**
 * Sends requests on to upstreams and their answers back, both as streams.
 *
 * @module
 */
import { forwardedHeaders, returnedResponse } from "../http/forward.ts";
import type { ExtensionSettings } from "../openapi/extension_settings.ts";
import { type Act, type Exchange, problemReply, type Reply, upstreamReply } from "./exchange.ts";
import { withIdleTimeout } from "./idle.ts";
import { createReplay } from "./replay.ts";
import { type Attempt, failureOf, hasFailed, mayRepeat } from "./retry.ts";
import { createRewrite } from "./rewrite.ts";
import type { PlannedUpstream } from "./route.ts";
import { type Origin, originOf, unknownService } from "./upstream.ts";
import type { Vigil } from "./vigil.ts";
import { isWebSocketRequest, passWebSocket } from "./websocket.ts";
import { createWeightedChoice } from "./weights.ts";
import type { GatewayWorld } from "./world.ts";

/** How long an upstream may take to begin its answer where nothing is said, in seconds. */
const REQUEST_TIMEOUT = 60;

/** An upstream, and how to ask it. */
interface Destination {
  readonly weight: number;
  readonly origin: Origin;
  readonly rewrite: ((path: string) => string) | undefined;
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
  world: GatewayWorld,
  vigil: Vigil,
): Act {
  const { retries = 0, request_timeout = REQUEST_TIMEOUT, idle_timeout = 0 } = qos;
  const destinations = upstreams.map((upstream): Destination => ({
    weight: upstream.weight,
    origin: originOf(upstream, namespace, world),
    rewrite: upstream.rewrite && createRewrite(upstream.rewrite),
  }));
  const choose = createWeightedChoice(destinations, world.random);
  return send;

  async function send(exchange: Exchange): Promise<Reply> {
    const { request, client } = exchange;
    const headers = forwardedHeaders(request, client.remoteAddr.hostname);
    const isWebSocket = websocket && isWebSocketRequest(request);
    const bodyOf = bodiesOf(exchange, retries);
    let body = bodyOf();
    for (let further = retries;; further--) {
      const destination = choose();
      if (destination === undefined) return unavailable("The definition names no upstream for this request.");
      if (destination.origin.kind === "unknown") return unavailable(unknownService(destination.origin.service));
      const { base } = destination.origin;
      const url = base + targetOf(exchange, destination);
      if (isWebSocket) return await passWebSocket(request, url, headers, request_timeout * 1000, world);
      const attempt = await ask(request, url, headers, body);
      const isLast = further <= 0 || !hasFailed(attempt) || !mayRepeat(request.method, attempt);
      body = isLast ? undefined : bodyOf();
      if (body === undefined || request.signal.aborted) return conclude(attempt, base);
      if (attempt.kind === "answered") await attempt.response.body?.cancel();
    }
  }

  async function ask(
    request: Request,
    url: string,
    headers: [name: string, value: string][],
    body: Exchange["body"] | Request["body"],
  ): Promise<Attempt> {
    const abort = new AbortController();
    let isLate = false;
    let isSilent = false;
    const sent = body instanceof ReadableStream && idle_timeout > 0
      ? withIdleTimeout(body, idle_timeout * 1000, () => isSilent = true)
      : body;
    const answered = vigil({
      request,
      timeout: request_timeout * 1000,
      stop: (reason) => {
        isLate = reason === "late";
        abort.abort();
      },
    });
    try {
      const sending = { method: request.method, headers, body: sent ?? null, signal: abort.signal };
      const response = await (world.send?.(url, sending) ?? world.fetch(url, { ...sending, redirect: "manual" }));
      return { kind: "answered", response };
    } catch (error) {
      if (isSilent) return { kind: "silence" };
      return isLate ? { kind: "timeout" } : failureOf(error);
    } finally {
      answered();
    }
  }

  function conclude(attempt: Attempt, base: string): Reply {
    switch (attempt.kind) {
      case "answered": {
        const response = returnedResponse(attempt.response);
        return upstreamReply(idle_timeout > 0 ? withIdle(response, idle_timeout * 1000) : response);
      }
      case "failed": {
        const detail = `The upstream ${base} can't be reached: ${attempt.reason}`;
        return problemReply({ title: "Bad Gateway", status: 502, detail });
      }
      case "silence": {
        const detail = `The body of the request has not gone on for ${idle_timeout} s.`;
        return problemReply({ title: "Request Timeout", status: 408, detail }, [["connection", "close"]]);
      }
      case "timeout": {
        const detail = `The upstream ${base} has not answered within ${request_timeout} s.`;
        return problemReply({ title: "Gateway Timeout", status: 504, detail });
      }
    }
  }
}

/** Gives the body for one attempt after the other; `undefined` when it can't be sent once more. */
function bodiesOf({ request, body }: Exchange, retries: number): () => Exchange["body"] | Request["body"] {
  if (body !== undefined) return () => body;
  // A stream that is passed on as it is costs least, and can't be sent again.
  if (retries === 0 || request.body === null) return () => request.body;
  return createReplay(request.body).stream;
}

function targetOf({ target: { path, query } }: Exchange, { rewrite }: Destination): string {
  const rewritten = rewrite === undefined ? path : rewrite(path);
  return query === "" ? rewritten : `${rewritten}?${query}`;
}

function withIdle(response: Response, timeout: number): Response {
  const { body, status, statusText, headers } = response;
  return body === null ? response : new Response(withIdleTimeout(body, timeout), { status, statusText, headers });
}

function unavailable(detail: string): Reply {
  return problemReply({ title: "Service Unavailable", status: 503, detail });
}
