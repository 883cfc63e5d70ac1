import type { Problem } from "./problem.ts";

/** The idempotent methods: those of RFC 9110, section 9.2.2, and QUERY (draft-ietf-httpbis-safe-method-w-body). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** Tells whether a method is idempotent, so that a failed request may be sent again. Methods are case-sensitive. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/** Adds the methods that a server answers without a declaration: `HEAD` if there is `GET`, and `OPTIONS`. */
export function withImplied(methods: readonly string[]): string[] {
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
}

/** The problem for a method that a path doesn't have. */
export function noMethod(method: string, path: string, allowed: readonly string[]): Problem {
  const detail = `${path} has no ${method}; it has ${allowed.join(", ")}.`;
  return { title: "Method Not Allowed", status: 405, detail };
}
