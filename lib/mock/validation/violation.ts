import type { Violation } from "../../schema/violation.ts";

/**
 * A violation of a request, in the format of the mock server Prism, which lists violations in the property `validation`
 * of its problem responses.
 */
export interface RequestViolation {
  /**
   * The place of the violation: `["body", "items", "3", "price"]`, `["query", "limit"]`, `["header", "X-Key"]`,
   * `["path", "id"]`.
   */
  location: string[];
  /** A request with violations of severity `Warning` only isn't refused. */
  severity: "Error" | "Warning";
  /** The keyword of the schema that is violated (`required`, `type`, …), or `deprecated`, `encoding`, `security`, … */
  code: string;
  /** A sentence that describes the violation. */
  message: string;
}

/** The part of a request that a violation is in. */
export type RequestPart = "path" | "query" | "querystring" | "header" | "cookie" | "body";

export const NO_VIOLATIONS: readonly RequestViolation[] = Object.freeze([]);

/** Makes a violation of a parameter, or of the body if `name` is empty. */
export function violation(part: RequestPart, name: string, code: string, message: string): RequestViolation {
  const location = name === "" ? [part] : [part, name];
  return { location, severity: "Error", code, message: `Request ${subjectOf(part, location.slice(1))} ${message}.` };
}

/** Makes a violation that doesn't refuse the request. */
export function warningViolation(part: RequestPart, name: string, code: string, message: string): RequestViolation {
  return { ...violation(part, name, code, message), severity: "Warning" };
}

/** Converts violations of a schema to violations of a parameter, or of the body if `name` is empty. */
export function schemaViolations(
  part: RequestPart,
  name: string,
  found: readonly Violation[],
): readonly RequestViolation[] {
  if (found.length === 0) return NO_VIOLATIONS;
  return found.map(({ path, keyword, message, severity }) => {
    const within = name === "" ? path : [name, ...path];
    return {
      location: [part, ...within],
      severity: severity ?? "Error",
      code: keyword,
      message: `Request ${subjectOf(part, within)} ${message}.`,
    };
  });
}

function subjectOf(part: RequestPart, within: readonly string[]): string {
  if (within.length === 0) return part === "querystring" ? "query" : part;
  return part === "body" ? `body property ${within.join(".")}` : `${part} parameter ${within.join(".")}`;
}
