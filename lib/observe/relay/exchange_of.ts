import type { Operation } from "../../openapi/operation.ts";
import type { Exchange } from "../exchange.ts";
import type { RequestTarget } from "../../mock/validation/validate_request.ts";
import type { CheckedResponse } from "./receive_response.ts";
import type { CheckedRequest } from "./send_request.ts";

/** The parts of an exchange that are known only after its request was forwarded and its response checked. */
export interface ExchangeChecks {
  readonly isUpstream: boolean;
  readonly request?: CheckedRequest | undefined;
  readonly response?: CheckedResponse | undefined;
}

/** Makes the exchange that is passed to observers. */
export function exchangeOf(
  relayed: {
    readonly request: Pick<Request, "method" | "url" | "headers">;
    readonly operation: Operation | undefined;
    readonly target: Pick<RequestTarget, "pathParameters">;
  },
  { status, headers }: Pick<Response, "status" | "headers">,
  { isUpstream, request, response }: ExchangeChecks,
): Exchange {
  const { operation, target: { pathParameters }, request: { method, url, headers: sent } } = relayed;
  return {
    ...operation === undefined ? {} : { operation },
    pathParameters,
    request: { method, url, headers: sent, ...bodyOf(request) },
    response: { status, headers, isUpstream, ...bodyOf(response) },
    requestViolations: request?.validation.violations ?? [],
    responseViolations: response?.violations ?? [],
    ...response?.unchecked === undefined ? {} : { unchecked: response.unchecked },
    ...response?.failure === undefined ? {} : { failure: response.failure },
  };
}

function bodyOf(checked: { readonly body?: Uint8Array | undefined } | undefined): { body?: Uint8Array } {
  return checked?.body === undefined ? {} : { body: checked.body };
}
