import type { HeaderList } from "./handler.ts";
import { jsonText } from "./one_line.ts";

/**
 * A problem: the details of an error, as JSON for a client. Members beyond the five of the RFC are extension members
 * (RFC 9457, section 3.2).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457 RFC 9457, Problem Details for HTTP APIs}
 */
export interface Problem {
  /** URI reference that identifies the type of the problem; `about:blank` when absent. */
  type?: string;
  /** Short summary of the type of the problem. */
  title: string;
  /** HTTP status code of the response, 400-599. */
  status: number;
  /** The reason for this occurrence of the problem, and how to correct it. */
  detail?: string;
  /** URI reference that identifies this occurrence of the problem. */
  instance?: string;
  /** Extension members. */
  [member: string]: unknown;
}

/** The media type of a problem (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/**
 * Makes the response that carries a problem.
 *
 * @param problem The problem. Its `status` is also the status of the response.
 * @param headers Further response headers.
 * @returns A response with the problem as `application/problem+json`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const response = problemResponse({ title: "Not Found", status: 404, detail: "No path fits /pet." });
 * assert.equal(response.status, 404);
 * ```
 */
export function problemResponse(problem: Problem, headers: HeaderList = []): Response {
  return new Response(jsonText(problem), {
    status: problem.status,
    headers: [["content-type", PROBLEM_MEDIA_TYPE], ...headers.map(([name, value]): [string, string] => [name, value])],
  });
}
