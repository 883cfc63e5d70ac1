/**
 * Values of header fields.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-5.5 RFC 9110, section 5.5, Field Values}
 * @module
 */
import type { HeaderList } from "./handler.ts";

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
