import type { ClientInfo, EmbeddedGateway, GatewayReply } from "../../../lib/gateway/embedded/gateway.ts";
import { qualifiedName } from "../../../lib/gateway/route.ts";
import { nameOf } from "../../../lib/openapi/operation.ts";
import { disturbResponse, isDisturbed } from "../../../lib/mock/rules/disturb_response.ts";
import { createDisturbances } from "../disturbance.ts";
import type { FleetHandler } from "./fleet_listeners.ts";
import { discardBody, internalErrorResponse, sendableResponse } from "../response.ts";
import type { Log, RequestEntry } from "../terminal/log.ts";
import type { Metrics, NameSpan } from "../telemetry.ts";
import { createLogRedaction } from "../terminal/log_redaction.ts";
import type { Document } from "../../../lib/openapi/document.ts";

export interface FleetHandlerOptions {
  /** The name of the fleet, such as `default/edge`. Default: the fleet of the plan that matches the request. */
  fleet?: string;
  gateway: EmbeddedGateway;
  /** The definitions that the gateway serves; an API key of any is a secret in requests that match no route. */
  documents?: () => readonly Document[];
  log: Log;
  logsRequests: boolean;
  metrics: Pick<Metrics, "gateway">;
  nameSpan: NameSpan | undefined;
}

const NO_DOCUMENTS: readonly Document[] = [];

/** The log entry of a request to a fleet. In the text format, it looks like an entry of `gw mock`. */
interface FleetEntry extends RequestEntry {
  fleet: string;
  /** The API or static route that matches the request; empty if none matches. */
  api: string;
}

/**
 * Creates the handler of a fleet's listeners. It returns an answer that is ready without wrapping it in a promise,
 * which would cost time.
 */
export function createFleetHandler(
  { fleet: only, gateway, documents = () => NO_DOCUMENTS, log, logsRequests, metrics, nameSpan }: FleetHandlerOptions,
): FleetHandler {
  const disturbanceOf = createDisturbances();
  const redaction = createLogRedaction(documents);
  return (request, info) => {
    const start = performance.now();
    const answer = answerTo(request, info);
    return answer instanceof Promise
      ? answer.then((answer) => finishDisturbed(request, info, answer, start))
      : finish(request, answer, start);
  };

  function answerTo(request: Request, client: ClientInfo): GatewayReply | Promise<GatewayReply> {
    try {
      const answer = gateway(request, client);
      return answer instanceof Promise ? answer.catch((error) => failed(request, error)) : answer;
    } catch (error) {
      return failed(request, error);
    }
  }

  /** Carries out the delay and the fault of an answer, if a rule of its operation sets them. */
  function finishDisturbed(
    request: Request,
    info: Parameters<FleetHandler>[1],
    answer: GatewayReply,
    start: number,
  ): Response | Promise<Response> {
    if (!isDisturbed(answer)) return finish(request, answer, start);
    return disturbResponse(answer.response, request.signal, answer, disturbanceOf(request, info))
      .then((response) => finish(request, { ...answer, response }, start));
  }

  function finish(request: Request, answer: GatewayReply, start: number): Response {
    const { response, mediaType, source, detail, operation, plan } = answer;
    const { status } = response;
    const duration = performance.now() - start;
    const fleet = only ?? (plan === undefined ? "" : qualifiedName(plan.fleet));
    metrics.gateway({ fleet, plan, operation, code: status, duration });
    if (operation !== undefined) nameSpan?.(nameOf(operation));
    if (logsRequests) {
      const { method } = request;
      const api = plan === undefined ? "" : `${plan.namespace}/${plan.name}`;
      const matched = { operation, document: plan?.document };
      const target = redaction.target(request, matched);
      const entry: FleetEntry = { method, target, status, mediaType, source, duration, fleet, api };
      log.request(
        detail === undefined ? entry : { ...entry, remarks: redaction.remarks([detail], request, matched) },
      );
    }
    discardBody(request);
    return sendableResponse(response);
  }

  function failed(request: Request, error: unknown): GatewayReply {
    const response = internalErrorResponse(request, error, log);
    return { response, mediaType: "application/problem+json", source: "problem" };
  }
}
