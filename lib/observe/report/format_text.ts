/**
 * Formats a summary for a terminal, at the end of a run: the violations, and the operations that got no request.
 *
 * @module
 */
import { hasErrors, type OperationSummary, type Summary } from "./summary.ts";
import { count, exampleText, overview, reportedName, violationText } from "./wording.ts";

/** The most operations that are listed with violations, and the most that are listed as not asked. */
const MOST_OPERATIONS = 20;
/** The most violations of an operation that are listed. */
const MOST_VIOLATIONS = 5;

/**
 * Formats a summary as lines:
 *
 * ```text
 * 4 requests, to 2 of 3 operations. 1 request violates the definition.
 * GET /todos
 *   ! once: Request query parameter limit must be <= 100.
 *     first: GET /todos?limit=500 200: limit=500
 * Not asked: PUT /resets/{token}.
 * ```
 */
export function formatText(summary: Summary): string[] {
  const invalid = summary.operations.filter((operation) => operation.violations.length > 0 || hasErrors(operation));
  const unrequested = summary.operations.filter(({ requests }) => requests === 0);
  return [
    overview(summary),
    ...(summary.unansweredReason === undefined ? [] : [`  first: ${summary.unansweredReason}`]),
    ...invalid.slice(0, MOST_OPERATIONS).flatMap(violationLines),
    ...(invalid.length > MOST_OPERATIONS
      ? [`and ${count(invalid.length - MOST_OPERATIONS, "operation")} more with violations`]
      : []),
    ...(unrequested.length === 0 || summary.totals.asked === 0 ? [] : [unrequestedLine(unrequested)]),
  ];
}

function violationLines(operation: OperationSummary): string[] {
  const { violations, unlisted } = operation;
  const shown = violations.slice(0, MOST_VIOLATIONS);
  const more = violations.length - shown.length;
  return [
    reportedName(operation),
    ...shown.flatMap((violation) => [`  ! ${violationText(violation)}`, `    first: ${exampleText(violation)}`]),
    ...(more + unlisted === 0 ? [] : [`  and ${more + unlisted} more`]),
  ];
}

function unrequestedLine(operations: readonly OperationSummary[]): string {
  const more = operations.length - MOST_OPERATIONS;
  const names = operations.slice(0, MOST_OPERATIONS).map(reportedName).join(", ");
  return `Not asked: ${names}${more > 0 ? ` and ${more} more` : ""}.`;
}
