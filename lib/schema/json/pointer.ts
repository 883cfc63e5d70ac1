/**
 * JSON Pointers (RFC 6901), and their form in the fragment of a URI (section 6).
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc6901 RFC 6901}
 */

/** Parses a JSON Pointer into unescaped reference tokens: `/a~1b/0` is `["a/b", "0"]`. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  const tokens = pointer.slice(1).split("/");
  return pointer.includes("~") ? tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~")) : tokens;
}

/**
 * The part of a value that reference tokens lead to; `undefined` where there is none. An item of an array has its index
 * as token, in digits without leading zeros (RFC 6901, section 4).
 */
export function valueAt(value: unknown, tokens: readonly string[]): unknown {
  let found = value;
  for (const token of tokens) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, token)) return undefined;
    // An array's own `length` isn't part of the value.
    if (Array.isArray(found) && token === "length") return undefined;
    found = (found as Readonly<Record<string, unknown>>)[token];
  }
  return found;
}

/** Escapes a reference token: `a/b` is `a~1b`. */
export function escapeToken(token: string | number): string {
  const text = String(token);
  return text.includes("~") || text.includes("/") ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
}

/** Formats reference tokens as a JSON Pointer: `["a/b", 0]` is `/a~1b/0`. */
export function formatPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(token)}`).join("");
}
