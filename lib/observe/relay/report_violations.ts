/**
 * Reports the violations of an exchange to the client: in the header `x-gw-violations`, or in the problem that replaces
 * an invalid response.
 *
 * @module
 */
import type { Problem } from "../../http/problem.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { toFieldValue } from "../../http/field_value.ts";
import type { ResponseViolation } from "../../mock/validation/check_response.ts";

/** The most characters of a violation in the header. */
const MOST_CHARACTERS = 200;

/**
 * The value of the header, in printable ASCII: `2 violations, the first: Response body property id must be integer.`
 */
export function violationsLine(violations: readonly { readonly message: string }[]): string {
  const [first] = violations;
  const { length } = violations;
  const message = first?.message ?? "";
  const shown = message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}...` : message;
  return toFieldValue(length === 1 ? `1 violation: ${shown}` : `${length} violations, the first: ${shown}`);
}

export function invalidResponse(
  operation: Operation,
  status: number,
  violations: readonly ResponseViolation[],
): Problem {
  const [first] = violations;
  const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  return {
    title: "Bad Gateway",
    status: 502,
    detail: `The response ${status} of the upstream is not as ${nameOf(operation)} declares it: ` +
      `${first?.message ?? ""}${others}`,
    validation: violations,
  };
}
