import { problemOf } from "../api/error_response.ts";
import type { StoreError, StoreErrorReason } from "../gateway/store_error.ts";
import type { HeaderList } from "../http/handler.ts";
import { problemResponse } from "../http/problem.ts";

const STATUSES: Readonly<Record<StoreErrorReason, number>> = {
  "exists": 409,
  "missing": 404,
  "stale": 412,
  "bad-continue": 400,
  "unavailable": 503,
  "full": 507,
  "refused": 422,
};

/**
 * The statuses that the management API repeats, when the Kubernetes API server has refused a change with them. Any
 * other becomes 422.
 */
const PASSED_ON = new Set([400, 403, 409, 413, 422]);

/** `Retry-After` in seconds, when the store can't be reached and names no time itself. */
const RETRY_AFTER = 5;

/**
 * Makes the response for an error of the store.
 *
 * @param isConditional Whether the request has `If-Match`: then a stale version is a failed precondition (412), else a
 * conflict with a concurrent change (409).
 */
export function storeErrorResponse(
  { reason, message, retryAfter = RETRY_AFTER, kubernetes }: StoreError,
  isConditional = true,
): Response {
  const headers: HeaderList = reason === "unavailable" ? [["retry-after", String(Math.ceil(retryAfter))]] : [];
  const status = reason === "refused" && PASSED_ON.has(kubernetes?.code ?? 0)
    ? kubernetes?.code ?? STATUSES.refused
    : reason === "stale" && !isConditional
    ? 409
    : STATUSES[reason];
  return problemResponse(
    { ...problemOf(status, message), ...(kubernetes === undefined ? {} : { kubernetes }) },
    headers,
  );
}
