import type { Problem } from "./problem.ts";
import type { UpstreamOutcome, UpstreamRequest } from "./upstream.ts";

/** A failed request to another server: the problem for the client, and the reason for the log. */
export interface UpstreamFailure {
  /** It names no address: clients needn't know where upstreams are. */
  readonly problem: Problem;
  /** The reason, which may name addresses. */
  readonly reason: string;
}

/** Explains why a request to another server has no response. */
export function failureOf(
  outcome: Exclude<UpstreamOutcome, { kind: "answered" }>,
  { headTimeout, idleTimeout }: Pick<UpstreamRequest, "headTimeout" | "idleTimeout">,
): UpstreamFailure {
  switch (outcome.kind) {
    case "unreachable":
      return failure(502, "Bad Gateway", "The upstream can't be reached.", outcome.reason);
    case "broken":
      return failure(502, "Bad Gateway", "The upstream has sent no complete and valid response.", outcome.reason);
    case "unsendable":
      return failure(400, "Bad Request", "The request can't be sent on as HTTP/1.1.", outcome.reason);
    case "timeout":
      return failure(504, "Gateway Timeout", `The upstream has not answered within ${headTimeout / 1000} s.`);
    case "silence":
      return failure(408, "Request Timeout", `The body of the request has not gone on for ${idleTimeout / 1000} s.`);
    case "gone":
      return failure(502, "Bad Gateway", "The client has disconnected.");
  }
}

function failure(status: number, title: string, detail: string, reason = detail): UpstreamFailure {
  return { problem: { title, status, detail }, reason };
}
