/** The idempotent methods: those of RFC 9110, section 9.2.2, and QUERY (draft-ietf-httpbis-safe-method-w-body). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/** Tells whether a method is idempotent, so that a failed request may be sent again. Methods are case-sensitive. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}
