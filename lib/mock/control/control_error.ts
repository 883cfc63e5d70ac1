import type { HeaderList } from "../../http/handler.ts";
import type { Problem } from "../../http/problem.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";

/** An error that is answered with a problem. `control_api.ts` catches it. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly problem: Problem;

  /**
   * @param status The status of the response.
   * @param detail The reason, and what the client can do.
   * @param members Extension members of the problem.
   * @param headers Further headers of the response.
   */
  constructor(
    status: number,
    detail: string,
    members: Readonly<Record<string, unknown>> = {},
    readonly headers: HeaderList = [],
  ) {
    super(detail);
    this.problem = { title: reasonPhrase(status), status, detail, ...members };
  }
}

/** A violation in a request body. */
export interface BodyError {
  /** JSON Pointer of the invalid part. */
  readonly pointer: string;
  readonly detail: string;
}

export function invalidBody(errors: readonly BodyError[]): ControlError {
  const [first] = errors;
  const place = first === undefined || first.pointer === "" ? "" : ` (at ${first.pointer})`;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : "";
  return new ControlError(422, `${first?.detail ?? "The body doesn't fit."}${place}${more}`, { errors });
}
