import type { UpstreamOutcome } from "../../http/upstream.ts";

/** Methods that may be repeated with the same effect (RFC 9110, section 9.2.2), and QUERY. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** Whether a method may be repeated with the same effect. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/**
 * Whether a request may be sent again: it has failed by the upstream's fault, and the upstream can't have seen it or the
 * method is idempotent.
 */
export function mayRetry(method: string, outcome: UpstreamOutcome): boolean {
  switch (outcome.kind) {
    case "unreachable":
      return true;
    case "answered":
      return outcome.response.status >= 500 && isIdempotent(method);
    case "broken":
    case "timeout":
      return isIdempotent(method);
    case "silence":
    case "unsendable":
    case "gone":
      return false;
  }
}
