import { type ErrorResponse, errorResponse } from "../../api/error_response.ts";

/** A violation in a request body. */
export interface BodyError {
  /** JSON Pointer of the invalid part. */
  readonly pointer: string;
  readonly detail: string;
}

export function invalidBody(errors: readonly BodyError[]): ErrorResponse {
  const [first] = errors;
  const place = first === undefined || first.pointer === "" ? "" : ` (at ${first.pointer})`;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : "";
  return errorResponse(422, `${first?.detail ?? "The body doesn't fit."}${place}${more}`, [], { errors });
}
