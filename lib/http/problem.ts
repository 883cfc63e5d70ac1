import type { HeaderList } from "./handler.ts";

/**
 * A problem: an error that a client can read.
 *
 * Members beyond the registered five are extension members (RFC 9457, section 3.2).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457 RFC 9457, Problem Details for HTTP APIs}
 */
export interface Problem {
  /** URI reference that names the kind of problem; `about:blank` when absent. */
  type?: string;
  /** Short summary of the kind of problem. */
  title: string;
  /** HTTP status code, 400-599. */
  status: number;
  /** The reason for this occurrence, and how to correct it. */
  detail?: string;
  /** URI reference of this occurrence. */
  instance?: string;
  /** Extension members. */
  [member: string]: unknown;
}

/** The media type of a problem (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/**
 * Makes the response that carries a problem.
 *
 * @param problem The problem; its `status` becomes the response's.
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
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: [["content-type", PROBLEM_MEDIA_TYPE], ...headers.map(([name, value]): [string, string] => [name, value])],
  });
}
