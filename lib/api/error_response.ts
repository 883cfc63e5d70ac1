import type { HeaderList } from "../http/handler.ts";
import { type Problem, problemResponse } from "../http/problem.ts";
import { reasonPhrase } from "../http/reason_phrase.ts";

/** An error that ends a request with a response. Only `api.ts` catches it. */
export class ErrorResponse extends Error {
  override readonly name = "ErrorResponse";
  readonly response: Response;

  constructor(response: Response) {
    super(`responds with ${response.status}`);
    this.response = response;
  }
}

/** Makes a problem with the reason phrase of its status as `title`. */
export function problemOf(status: number, detail: string): Problem {
  return { title: reasonPhrase(status), status, detail };
}

/**
 * Makes an error that ends a request with a problem.
 *
 * @param detail The reason, and what the client can do.
 * @param headers Further headers of the response.
 * @param members Extension members of the problem.
 */
export function errorResponse(
  status: number,
  detail: string,
  headers: HeaderList = [],
  members: Readonly<Record<string, unknown>> = {},
): ErrorResponse {
  return new ErrorResponse(problemResponse({ ...problemOf(status, detail), ...members }, headers));
}
