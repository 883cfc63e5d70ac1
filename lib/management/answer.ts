import type { Bytes, HeaderList } from "../http/handler.ts";
import { longHashOf } from "../http/hash.ts";

/** A cached response, immutable. It is made once for a state of the store, not for each request. */
export interface ManagementAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** A text of ASCII only; else its bytes. Deno's server sends such a text with less work than bytes. */
  readonly body: string | Bytes;
  /** The entity tag, with its quotes (RFC 9110, section 8.8.3). */
  readonly etag: string;
  readonly init: ResponseInit;
}

const ENCODER = new TextEncoder();

export function textAnswer(text: string, mediaType: string, etag: string, more: HeaderList = []): ManagementAnswer {
  const headers: HeaderList = [["content-type", mediaType], ["etag", etag], ...more];
  const bytes = ENCODER.encode(text);
  const body = bytes.length === text.length ? text : bytes;
  return { status: 200, headers, body, etag, init: initOf(200, headers) };
}

/** Makes an answer from a JSON text. Its entity tag is a hash of the text. */
export function jsonAnswer(json: string, more: HeaderList = []): ManagementAnswer {
  return textAnswer(json, "application/json", tagOf(json), more);
}

/** Makes the response for an answer: 304 if `If-None-Match` has its entity tag, and no body for HEAD. */
export function sendAnswer(request: Request, { headers, body, etag, init }: ManagementAnswer): Response {
  const known = request.headers.get("if-none-match");
  if (known !== null && isAmong(etag, known, "weak")) {
    return new Response(null, initOf(304, headers.filter(([name]) => name !== "content-type")));
  }
  if (request.method === "HEAD") {
    return new Response(null, initOf(200, [...headers, ["content-length", String(body.length)]]));
  }
  return new Response(body, init);
}

export function sendJson(value: unknown, status: number, headers: HeaderList = []): Response {
  return new Response(JSON.stringify(value), initOf(status, [["content-type", "application/json"], ...headers]));
}

/**
 * Tells whether an entity tag is in the value of `If-Match` (strong comparison) or `If-None-Match` (weak comparison;
 * RFC 9110, section 8.8.3.2).
 */
export function isAmong(etag: string, field: string, comparison: "strong" | "weak"): boolean {
  if (field.trim() === "*") return true;
  for (const [written, weak, tag] of field.matchAll(/(W\/)?("[^"]*")/g)) {
    if (written !== "" && tag === etag && (comparison === "weak" || weak === undefined)) return true;
  }
  return false;
}

/** Returns the strong entity tags in the value of `If-Match` (RFC 9110, section 8.8.3.2), with their quotes. */
export function strongTags(field: string): string[] {
  return [...field.matchAll(/(W\/)?("[^"]*")/g)].flatMap(([, weak, tag = ""]) => weak === undefined ? [tag] : []);
}

/** The entity tag of a text: a hash of it. */
export function tagOf(text: string): string {
  return `"${longHashOf(text)}"`;
}

function initOf(status: number, headers: HeaderList): ResponseInit {
  return { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
}
