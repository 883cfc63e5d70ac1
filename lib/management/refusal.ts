import type { HeaderList } from "../http/handler.ts";
import { type Problem, problemResponse } from "../http/problem.ts";
import type { StoreError, StoreErrorReason } from "../gateway/store_error.ts";

/** Ends the work on a request with an answer of its own; `api.ts` alone catches it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly response: Response;

  constructor(response: Response) {
    super(`refused with ${response.status}`);
    this.response = response;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  503: "Service Unavailable",
  507: "Insufficient Storage",
};

/** Makes a problem with the usual title of its status. */
export function problemOf(status: number, detail: string): Problem {
  return { title: TITLES[status] ?? "Error", status, detail };
}

/** Makes a refusal with a problem. */
export function refusal(status: number, detail: string, headers: HeaderList = []): Refusal {
  return new Refusal(problemResponse(problemOf(status, detail), headers));
}

const STATUSES: Readonly<Record<StoreErrorReason, number>> = {
  "exists": 409,
  "missing": 404,
  "stale": 412,
  "bad-continue": 400,
  "unavailable": 503,
  "full": 507,
  "refused": 422,
};

/** Statuses of Kubernetes that mean to a client of the management API what they mean to one of Kubernetes. */
const PASSED_ON = new Set([400, 403, 409, 413, 422]);

/** Seconds after which a store that can't be reached may be worth another try, where it doesn't say. */
const RETRY_AFTER = 5;

/**
 * The refusal of a store as an answer.
 *
 * @param isConditional Whether the client has said which state it means (`If-Match`), so that another one is its condition
 * not met (412), and not a change that came in between (409).
 */
export function storeResponse(
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
