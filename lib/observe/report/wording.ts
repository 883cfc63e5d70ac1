/**
 * Phrases that several formats of reports have in common.
 *
 * @module
 */
import type { OperationSummary, ResponseSummary, Summary, Totals, ViolationSummary } from "./summary.ts";
import { isError } from "./summary.ts";

/** The totals as sentences: `12 requests, to 5 of 6 operations. 1 request violates the definition.` */
export function overview({ totals }: Summary): string {
  const { requests, asked, operations, unmatched, unanswered } = totals;
  const invalid = invalidText(totals);
  return [
    `${count(requests, "request")}, to ${asked} of ${count(operations, "operation")}.`,
    ...(invalid !== undefined ? [invalid] : unanswered === 0 ? ["No violations."] : []),
    ...(unanswered === 0 ? [] : [unansweredText(unanswered)]),
    ...(unmatched === 0 ? [] : [`${count(unmatched, "request")} fit no operation.`]),
  ].join(" ");
}

/** A sentence: `1 request and 3 responses violate the definition.`; `undefined` if none does. */
export function invalidText({ invalidRequests, invalidResponses }: Totals): string | undefined {
  const invalid = [
    ...(invalidRequests === 0 ? [] : [count(invalidRequests, "request")]),
    ...(invalidResponses === 0 ? [] : [count(invalidResponses, "response")]),
  ];
  if (invalid.length === 0) return undefined;
  return `${invalid.join(" and ")} ${
    invalidRequests + invalidResponses === 1 ? "violates" : "violate"
  } the definition.`;
}

/** A sentence: `2 requests got no response of the upstream.` */
export function unansweredText(unanswered: number): string {
  return `${count(unanswered, "request")} got no response of the upstream.`;
}

/** The responses with their counts: `200 application/json (3), 404 (1), no response (1)` */
export function responsesText({ responses, unanswered }: OperationSummary): string {
  return [
    ...responses.map((response) => `${responseText(response)} (${response.count})`),
    ...(unanswered === 0 ? [] : [`no response (${unanswered})`]),
  ].join(", ");
}

/** The status and media type of a response: `200 application/json` */
export function responseText({ status, mediaType }: ResponseSummary): string {
  return mediaType === "" ? String(status) : `${status} ${mediaType}`;
}

export function reportedName({ method, path }: Pick<OperationSummary, "method" | "path">): string {
  return `${method} ${path}`;
}

/** The number of errors in all exchanges of an operation, including those that aren't listed. */
export function errorsOf({ violations, unlisted }: OperationSummary): number {
  return violations.filter(isError).reduce((sum, { count }) => sum + count, unlisted);
}

/** A violation with its count: `3 times: Request query parameter limit must be <= 100.` */
export function violationText({ severity, count, message }: ViolationSummary): string {
  const times = count === 1 ? "once" : `${count} times`;
  return `${times}${severity === "Warning" ? ", as a warning" : ""}: ${message}`;
}

/** A request, the status of its response, and an excerpt: `GET /todos?limit=500 200: limit=500` */
export function exampleText({ first: { method, url, status, excerpt } }: ViolationSummary): string {
  return `${method} ${url} ${status}${excerpt === undefined ? "" : `: ${excerpt}`}`;
}

/** A number with its noun: `1 request`, `2 requests`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
