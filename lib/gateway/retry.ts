/** What came of sending a request to an upstream. */
export type Attempt =
  | { kind: "answered"; response: Response }
  | {
    kind: "failed";
    reason: string;
    /** Whether the upstream may have seen the request. */
    mayHaveArrived: boolean;
  }
  | { kind: "timeout" }
  /** The client has begun to send a body, and fallen silent. */
  | { kind: "silence" };

/** What sending a request ends with when nobody can have seen it. */
export class UnsentError extends Error {
  override name = "UnsentError";
}

/** Methods that may be repeated with the same effect (RFC 9110, section 9.2.2), and QUERY. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** Whether a method may be repeated with the same effect. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/** Whether an attempt has failed: there is no answer, or it is a 5xx. */
export function hasFailed(attempt: Attempt): boolean {
  return attempt.kind !== "answered" || attempt.response.status >= 500;
}

/** Whether a request may be sent again: when the upstream can't have seen it, or it does no harm. */
export function mayRepeat(method: string, attempt: Attempt): boolean {
  return isIdempotent(method) || (attempt.kind === "failed" && !attempt.mayHaveArrived);
}

/** Tells from what was thrown, by `fetch` too, whether the request may have reached the other side. */
export function failureOf(error: unknown): Attempt {
  if (error instanceof UnsentError) return { kind: "failed", reason: error.message, mayHaveArrived: false };
  const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
  return { kind: "failed", reason, mayHaveArrived: !/\(Connect\)|ECONNREFUSED|ENOTFOUND/.test(reason) };
}
