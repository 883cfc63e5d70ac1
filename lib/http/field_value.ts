/**
 * Values of header fields.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-5.5 RFC 9110, section 5.5, Field Values}
 * @module
 */
import type { HeaderList } from "./handler.ts";
import { latin1Bytes } from "./latin1.ts";

/** Matches values that `Headers` accepts: visible ASCII, spaces, tabs, and the bytes that once were Latin-1. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A text as the value of a header: characters that a header can't carry are percent-encoded. */
export function toFieldValue(text: string): string {
  return text.trim().replace(/[^\t\x20-\x7e]+/gu, (part) => encodeURIComponent(part.toWellFormed()));
}

/**
 * The arguments of `new Headers()`, which throws for a value with a line feed. Values are made of texts of a definition,
 * such as a media type and the name of a security scheme: none of them may make a response fail.
 */
export function sendableHeaders(headers: HeaderList): [string, string][] {
  return headers.map(([name, value]) => [name, SENDABLE.test(value) ? value : toFieldValue(value)]);
}

/**
 * The text that a client has put into a header. `Headers` has a character for each byte, and Go, curl and httpx send
 * UTF-8. Bytes that aren't UTF-8 are Latin-1, as `fetch` and Python's requests send it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(textOfField("Jos\u00c3\u00a9"), "Jos\u00e9");
 * assert.equal(textOfField("Jos\u00e9"), "Jos\u00e9");
 * ```
 */
export function textOfField<Value extends string | null>(value: Value): Value | string {
  if (value === null || !/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(value)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(latin1Bytes(value));
  } catch {
    return value;
  }
}
