import type { HeaderList } from "../../http/handler.ts";
import type { RequestViolation } from "./violation.ts";

/** The header that tells why a request is refused, whatever the body says: a list of violations as JSON. */
export const VIOLATIONS_HEADER = "x-gw-violations";

/** Most bytes of the header: servers and clients bound what they take. */
const MOST_BYTES = 2048;
const EXPOSE = "access-control-expose-headers";

/**
 * Writes violations as JSON in ASCII, so that any header can carry it. Entries that would make it too long are left out.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const found = [{ location: ["body", "näme"], severity: "Error", code: "type", message: "…" }] as const;
 * const text = formatViolations(found.map((one) => ({ ...one, location: [...one.location] })));
 * assert.match(text, /^[\x20-\x7e]+$/);
 * assert.deepEqual(JSON.parse(text), found);
 * ```
 */
export function formatViolations(violations: readonly RequestViolation[]): string {
  const entries: string[] = [];
  let length = "[]".length;
  for (const violation of violations) {
    const entry = toAscii(JSON.stringify(violation));
    const added = entry.length + (entries.length === 0 ? 0 : 1);
    if (length + added > MOST_BYTES) continue;
    entries.push(entry);
    length += added;
  }
  return `[${entries.join(",")}]`;
}

/** Adds the header, and lets pages read it where the definition itself says what they may. */
export function withViolations(headers: HeaderList, violations: readonly RequestViolation[]): HeaderList {
  const others = headers.filter(([name]) => name !== VIOLATIONS_HEADER && name !== EXPOSE);
  const exposed = headers.flatMap(([name, value]) => name === EXPOSE ? [value] : []);
  const isShared = exposed.length > 0 || headers.some(([name]) => name === "access-control-allow-origin");
  return [
    ...others,
    ...(isShared ? [[EXPOSE, [...exposed, VIOLATIONS_HEADER].join(", ")] as const] : []),
    [VIOLATIONS_HEADER, formatViolations(violations)],
  ];
}

/** Escapes what isn't ASCII; in JSON that stands in strings alone. */
function toAscii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
